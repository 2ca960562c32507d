"""What the package promises, with the standard library alone where that is enough. NumPy and Arrow are used where they are."""

import array
import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings
from pathlib import Path

import wavelane as wl
from wavelane.testing import assert_agrees

try:
    import numpy as np
except ImportError:
    np = None
try:
    import pyarrow as pa
except ImportError:
    pa = None

ADD = """
cbuffer Params { uint Amount; float3 Tint; bool On; };
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    Out[id.x] = In[id.x] + (On ? Amount : 0) + uint(Tint.y);
}
"""
SUM = """
RWStructuredBuffer<uint> Data;
[numthreads(32, 1, 1)] void main(uint3 id : SV_DispatchThreadID) { Data[id.x] = WaveActiveSum(Data[id.x]); }
"""
DOUBLE = """
RWStructuredBuffer<uint> Data;
[numthreads(8, 1, 1)] void main(uint3 id : SV_DispatchThreadID) { Data[id.x] *= 2; }
"""


def words(*values):
    return array.array("I", values)


class Capsule:
    """Exports another object's DLPack capsule, and nothing else."""

    def __init__(self, inner, device=None):
        self.inner, self.device = inner, device

    def __dlpack__(self, **keywords):
        return self.inner.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.device or self.inner.__dlpack_device__()


class Calls(unittest.TestCase):
    def test_a_kernel_writes_into_the_arguments(self):
        for engine in wl.engines():
            out = words(*[0] * 16)
            kernel = wl.compile(ADD, engine=engine)
            kernel[2](In=words(*range(16)), Out=out, Amount=5, Tint=[0, 2.5, 0], On=True)
            self.assertEqual(out.tolist(), [it + 7 for it in range(16)], engine)

    def test_constants_that_are_not_set_are_zero(self):
        out = words(*[9] * 8)
        wl.compile(ADD)[1](In=words(*range(8)), Out=out, On=False, Amount=3)
        self.assertEqual(out.tolist(), list(range(8)))

    def test_truth_values_are_also_0_and_1(self):
        for value, amount in ((0, 0), (1, 3)):
            out = words(*[9] * 8)
            wl.compile(ADD)[1](In=words(*[0] * 8), Out=out, On=value, Amount=3)
            self.assertEqual(out.tolist(), [amount] * 8)

    def test_the_width_and_the_engine_are_chosen_by_argument(self):
        kernel = wl.compile(SUM)
        for engine in ("interp", wl.compile(SUM).engine):
            for width in kernel.wave_sizes:
                data = words(*[1] * 64)
                at = kernel.at(wave_size=width, engine=engine, threads=2)
                self.assertEqual((at.wave_size, at.engine, at.threads), (width, engine, 2))
                at[2](Data=data)
                self.assertEqual(data.tolist(), [min(width, 32)] * 64)

    def test_a_bound_call_runs_again_and_again(self):
        data = words(*[1] * 8)
        call = wl.compile(DOUBLE).bind(1, Data=data)
        for _ in range(5):
            call()
        self.assertEqual(data.tolist(), [32] * 8)
        # The memory stays where it is for as long as the call may run.
        with self.assertRaises(BufferError):
            data.append(1)
        del call
        data.append(1)

    def test_groups_are_a_number_or_a_tuple(self):
        kernel = wl.compile(DOUBLE)
        self.assertEqual(kernel[2, 3].groups, (2, 3, 1))
        self.assertEqual(kernel[(2, 3, 4)].groups, (2, 3, 4))
        for wrong in (-1, (1, 2, 3, 4), "two", 2**32):
            with self.assertRaises(TypeError):
                kernel[wrong]

    def test_other_threads_run_meanwhile(self):
        text = """
        RWStructuredBuffer<uint> Data;
        [numthreads(4, 1, 1)] void main() { while (true) { InterlockedAdd(Data[0], 1); } }
        """
        with self.assertWarns(wl.CompileWarning):
            kernel = wl.compile(text, engine="interp")
        call = kernel.at(fuel=3_000_000).bind(1, Data=words(0))
        seen = []

        def run():
            seen.append("begin")
            try:
                call()
            except wl.Trap as error:
                seen.append(str(error))

        thread = threading.Thread(target=run)
        thread.start()
        # With the lock held during the call, this loop would go round before or after it only.
        rounds = 0
        while len(seen) < 2:
            rounds += len(seen)
        thread.join()
        self.assertEqual(seen, ["begin", "the fuel is spent"])
        self.assertGreater(rounds, 1000)

    @unittest.skipUnless(hasattr(os, "fork"), "skipped: this system has no `fork`")
    def test_a_forked_process_has_threads_of_its_own(self):
        if "cpu" not in wl.engines():
            self.skipTest("skipped: this machine has no engine `cpu`")
        data = words(*[1] * 32)
        call = wl.compile(DOUBLE, engine="cpu", threads=2).bind(4, Data=data)
        call()
        child = os.fork()
        if child == 0:
            # A child that hangs is killed.
            signal.alarm(60)
            call()
            os._exit(data.tolist() != [4] * 32)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(data.tolist(), [2] * 32)

    def test_what_the_shader_prints_is_printed(self):
        text = 'RWStructuredBuffer<uint> Data;\n[numthreads(2, 1, 1)] void main(uint i : SV_GroupIndex) { printf("lane %u", i); Data[i] = i; }'
        code = f"import array, wavelane as wl\nwl.compile({text!r})[1](Data=array.array('I', [0, 0]))"
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(ran.stdout.split("\n")[:2], ["lane 0", "lane 1"])


class Compiling(unittest.TestCase):
    def test_diagnostics_have_carets(self):
        with self.assertRaises(wl.CompileError) as caught:
            wl.compile("[numthreads(1, 1, 1)]\nvoid main() { uint x = y; }", name="bad.hlsl")
        text = str(caught.exception)
        self.assertIn("bad.hlsl:2:24: error:", text)
        self.assertIn("^", text)
        self.assertIsInstance(caught.exception, wl.Error)

    def test_a_text_has_a_newline_and_a_path_has_none(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "by.hlsli").write_text("#define BY 3\n")
            file = Path(folder) / "times.hlsl"
            file.write_text(DOUBLE.replace("*= 2", "*= BY * TIMES").replace("RW", '#include "by.hlsli"\nRW', 1))
            data = words(*[1] * 8)
            for source in (file, str(file)):
                wl.compile(source, defines={"TIMES": 2})[1](Data=data)
            self.assertEqual(data.tolist(), [36] * 8)
            with self.assertRaises(FileNotFoundError) as caught:
                wl.compile(str(file) + "x")
            self.assertIn("has a newline", str(caught.exception))

    def test_what_is_not_there_is_refused(self):
        with self.assertRaises(ValueError) as caught:
            wl.compile(DOUBLE, engine="abacus")
        self.assertIn("`abacus`", str(caught.exception))
        with self.assertRaises(wl.ArgumentError) as caught:
            wl.compile(DOUBLE, wave_size=12)
        self.assertIn("`wave_size`", str(caught.exception))
        for threads in (0, 1_000_000):
            for refused in (lambda: wl.compile(DOUBLE, threads=threads), lambda: wl.compile(DOUBLE).at(threads=threads)):
                with self.assertRaises(wl.ArgumentError) as caught:
                    refused()
                self.assertIn("`threads`: a number from 1 to 256", str(caught.exception))

    def test_warnings_are_warnings_of_python(self):
        text = DOUBLE.replace("*= 2", "= 3.7")
        with self.assertWarns(wl.CompileWarning) as caught:
            wl.compile(text, name="lossy.hlsl")
        self.assertIn("lossy.hlsl:3:", str(caught.warning))
        self.assertIn("^", str(caught.warning))
        self.assertEqual(caught.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            wl.compile(DOUBLE)
            with self.assertRaises(wl.CompileWarning):
                wl.compile(text)

    def test_a_file_that_is_not_utf_8_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "latin.hlsl"
            file.write_bytes(b"// caf\xe9\n")
            with self.assertRaises(OSError) as caught:
                wl.compile(file)
            self.assertIn("UTF-8", str(caught.exception))
            self.assertNotIn("newline", str(caught.exception))


class Refusals(unittest.TestCase):
    def refused(self, *parts, text=ADD, **arguments):
        given = {"In": words(*range(8)), "Out": words(*range(8))} if text == ADD else {}
        with self.assertRaises(wl.ArgumentError) as caught:
            wl.compile(text)[1](**{**given, **arguments})
        for part in parts:
            self.assertIn(part, str(caught.exception))

    def test_arguments_that_do_not_suit(self):
        self.refused("`In`", "`uint32`", "`float32`", In=array.array("f", [0] * 8))
        self.refused("`In`", "`int32`", In=array.array("i", [0] * 8))
        self.refused("`Out`", "read-only", Out=memoryview(words(*range(8))).toreadonly())
        self.refused("`In`", "not contiguous", In=memoryview(words(*range(16)))[::2])
        self.refused("`In`", "`int`", In=5)
        self.refused("`Owt`", "did you mean `Out`", Owt=words(0))
        self.refused("`Tint`", str(2**53 + 1), Tint=[0, 2**53 + 1, 0])
        self.refused("`Amount`", "-1", Amount=-1)
        self.refused("`Amount`", "`str`", Amount="one")
        self.refused("`Tint`", "3 numbers", Tint=[1, 2])
        self.refused("`Amount`", "64 bits", Amount=2**70)
        self.refused("`Params`", "by their own names", Params={"Amount": 1})
        self.refused("`On`", "2", On=2)
        self.refused("`In`", "np.array", In=[1, 2, 3])

    def test_what_is_missing_is_named(self):
        with self.assertRaises(wl.ArgumentError) as caught:
            wl.compile(ADD)[1](Out=words(*range(8)))
        self.assertIn("`Params`, `In`", str(caught.exception).replace("` and `", "`, `"))

    def test_arguments_must_not_overlap_where_the_shader_writes(self):
        data = words(*range(16))
        view = memoryview(data)
        self.refused("`In` and `Out` overlap", In=view[:8], Out=view[4:12])
        wl.compile(ADD)[1](In=view[:8], Out=view[8:], On=False)
        self.assertEqual(data.tolist()[8:], list(range(8)))

    def test_arrays_of_ctypes_have_no_strides_and_are_used_in_place(self):
        class Pair(ctypes.Structure):
            _fields_ = [("low", ctypes.c_uint32), ("high", ctypes.c_float * 2)]

        text = """
        struct Pair { uint low; float high[2]; };
        RWStructuredBuffer<Pair> Data;
        [numthreads(2, 1, 1)] void main(uint i : SV_GroupIndex) { Data[i].high[1] = Data[i].low; }
        """
        data = (Pair * 2)((3, (0, 0)), (4, (0, 0)))
        wl.compile(text)[1](Data=data)
        self.assertEqual([it.high[1] for it in data], [3, 4])

    def test_formats_promise_anything_and_cost_nothing(self):
        class Row(ctypes.Structure):
            _fields_ = [("cells", ctypes.c_uint8 * 60_000)]

        class Table(ctypes.Structure):
            _fields_ = [("rows", Row * 30_000)]

        # Its members alone would fill the memory of most machines.
        self.refused("`In`", "that many members", In=(Table * 0)())
        inner = ctypes.c_uint32
        for _ in range(200):
            inner = type("Nested", (ctypes.Structure,), {"_fields_": [("inner", inner)]})
        self.refused("`In`", "nest so deeply", In=(inner * 0)())

    def test_a_kernel_without_groups_says_so(self):
        with self.assertRaises(TypeError) as caught:
            wl.compile(DOUBLE)(Data=words(0))
        self.assertIn("kernel[groups]", str(caught.exception))

    def test_arguments_are_passed_by_name(self):
        with self.assertRaises(TypeError):
            wl.compile(DOUBLE)[1](words(0))


SAMPLE = """
Texture2D<float4> Image;
SamplerState Point;
RWTexture2D<float> Out;
[numthreads(2, 2, 1)] void main(uint3 id : SV_DispatchThreadID) {
    Out[id.xy] = Image.SampleLevel(Point, (id.xy + 0.5) / 2, 0).g;
}
"""


class Textures(unittest.TestCase):
    image = bytes([0, 0, 0, 0, 0, 51, 0, 0, 0, 102, 0, 0, 0, 255, 0, 0])

    def axes(self, array, *shape):
        return memoryview(array).cast("B").cast(memoryview(array).format, shape)

    def test_texels_are_sampled_and_written_in_place(self):
        for engine in wl.engines():
            out = array.array("f", [9] * 4)
            image = wl.Texture(self.axes(self.image, 2, 2, 4), format="RGBA8_UNORM")
            kernel = wl.compile(SAMPLE, engine=engine)
            kernel[1](Image=image, Point="nearest clamp", Out=self.axes(out, 2, 2))
            wanted = array.array("f", [0, 51 / 255, 102 / 255, 1])
            self.assertEqual(out, wanted, engine)

    def test_mips_and_arrays_of_textures_have_sizes_and_elements(self):
        text = """
        Texture2D<uint> Images[2];
        RWStructuredBuffer<uint> Out;
        [numthreads(1, 1, 1)] void main() {
            Out[0] = Images[0].Load(int3(0, 0, 1));
            Out[1] = Images[1].Load(int3(1, 1, 0));
        }
        """
        out = words(0, 0)
        first = wl.Texture(words(1, 2, 3, 4, 5), size=(2, 2), mips=2)
        second = self.axes(words(6, 7, 8, 9), 2, 2)
        wl.compile(text)[1](Images=[first, second], Out=out)
        self.assertEqual(out.tolist(), [5, 9])

    def test_sweeps_and_reports_see_textures(self):
        text = """
        RWTexture2D<uint> Out;
        [numthreads(32, 1, 1)] void main(uint i : SV_GroupIndex) { Out[uint2(i, 0)] = WaveGetLaneCount(); }
        """
        out = self.axes(words(*[0] * 32), 1, 32)
        sweep = wl.sweep(wl.compile(text), 1, Out=out, widths=[4, 64])
        self.assertEqual(sweep.results[64]["Out"].tolist(), [64] * 32)
        self.assertEqual(sweep.differences, {"Out": [[4], [64]]})
        self.assertEqual(out.tolist(), [[0] * 32])

    def test_what_does_not_suit_is_refused(self):
        image = wl.Texture(self.axes(self.image, 2, 2, 4), format="RGBA8_UNORM")
        out = self.axes(array.array("f", [0] * 4), 2, 2)
        kernel = wl.compile(SAMPLE)[1]
        for arguments, part in [
            ({"Image": image, "Point": "sharp", "Out": out}, "`sharp`"),
            ({"Image": image, "Point": 5, "Out": out}, "a sampler is a string"),
            ({"Image": self.image, "Point": "linear", "Out": out}, "not a Texture2D with 4 channels"),
            ({"Image": self.axes(self.image, 2, 2, 4), "Point": "linear", "Out": out}, "wavelane.Texture"),
            ({"Image": image, "Point": "linear", "Out": wl.Texture(out, size=(3, 2))}, "bytes"),
            ({"Image": image, "Point": "linear", "Out": out.toreadonly()}, "read-only"),
            ({"Image": wl.Texture(out, format="RGBA32_UINT", size=(1, 1)), "Point": "linear", "Out": out}, "uint32"),
        ]:
            with self.assertRaises(wl.ArgumentError, msg=part) as caught:
                kernel(**arguments)
            self.assertIn(part, str(caught.exception))
        for arguments, part in [({"format": "RGBA"}, "`format`"), ({"mips": 2}, "need `size`"), ({"size": ()}, "`size`")]:
            with self.assertRaises(wl.ArgumentError) as caught:
                wl.Texture(self.image, **arguments)
            self.assertIn(part, str(caught.exception))
        with self.assertRaises(wl.ArgumentError) as caught:
            wl.compile(DOUBLE)[1](Data=wl.Texture(words(0)))
        self.assertIn("this is a texture", str(caught.exception))


class Timelines(unittest.TestCase):
    def test_a_run_is_a_page_in_a_frame_and_changes_nothing(self):
        data = words(*[1] * 32)
        timeline = wl.timeline(wl.compile(SUM, name="sum.hlsl"), 1, Data=data, wave_size=8)
        self.assertEqual((timeline.wave_size, timeline.complete), (8, True))
        self.assertTrue(timeline.html.startswith("<!"), timeline.html[:40])
        self.assertIn("sum.hlsl", timeline.html)
        self.assertIn("<iframe srcdoc=", timeline._repr_html_())
        self.assertEqual(data.tolist(), [1] * 32)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "run.html"
            timeline.save(file)
            self.assertEqual(file.read_text(), timeline.html)

    def test_bounds_and_mistakes_are_told(self):
        data = words(*[1] * 32)
        for arguments, part in [({"window": "colour=red"}, "`window`"), ({"limit": 10}, "`limit`")]:
            with self.assertRaises(wl.ArgumentError) as caught:
                wl.timeline(wl.compile(SUM), 1, Data=data, **arguments)
            self.assertIn(part, str(caught.exception))


class Reports(unittest.TestCase):
    def test_the_sanitizer_finds_places(self):
        text = """
        RWStructuredBuffer<uint> Data;
        [numthreads(32, 1, 1)] void main(uint i : SV_GroupIndex) {
            if (i & 1) Data[i] = WaveReadLaneAt(i, 0);
        }
        """
        data = words(*[0] * 32)
        report = wl.san(wl.compile(text, name="lanes.hlsl"), 1, Data=data)
        self.assertFalse(report.clean)
        finding = report.findings[0]
        self.assertEqual((finding.id, finding.line, finding.file), ("inactive-lane-read", 4, "lanes.hlsl"))
        self.assertIn("^", str(finding))
        self.assertIn("<pre>", report._repr_html_())
        self.assertEqual(data.tolist(), [0] * 32)
        self.assertTrue(wl.san(wl.compile(DOUBLE), 1, Data=words(*range(8))).clean)

    def test_a_comment_allows_a_finding(self):
        text = """
        RWStructuredBuffer<uint> Data;
        [numthreads(32, 1, 1)] void main(uint i : SV_GroupIndex) {
            // wavelane: allow(inactive-lane-read, width-dependent-result): the test wants them
            if (i & 1) Data[i] = WaveReadLaneAt(i, 0);
        }
        """
        report = wl.san(wl.compile(text), 1, Data=words(*[0] * 32))
        self.assertEqual((report.clean, report.findings), (True, []))

    def test_a_sweep_compares_widths(self):
        data = words(*[1] * 32)
        sweep = wl.sweep(wl.compile(SUM), 1, Data=data, widths=[4, 8, 32, 64])
        self.assertEqual(sweep.results[8]["Data"].tolist(), [8] * 32)
        self.assertEqual(sweep.differences, {"Data": [[4], [8], [32, 64]]})
        self.assertIn("≠", sweep._repr_html_())
        self.assertEqual(data.tolist(), [1] * 32)

    def test_the_helper_for_tests(self):
        kernel = wl.compile(SUM)
        ones = words(*[1] * 32)
        assert_agrees(kernel, 1, Data=ones, expected=lambda width: {"Data": [min(width, 32)] * 32})
        assert_agrees(wl.compile(DOUBLE), 1, Data=words(*range(8)), expected={"Data": [2 * it for it in range(8)]})
        with self.assertRaises(AssertionError) as caught:
            assert_agrees(kernel, 1, Data=ones)
        self.assertIn("depends on the width", str(caught.exception))
        with self.assertRaises(AssertionError) as caught:
            assert_agrees(kernel, 1, Data=ones, widths=[8], expected={"Data": [8] * 31 + [9]})
        self.assertIn("`Data[31]` is 8, and 9 is expected", str(caught.exception))


class Command(unittest.TestCase):
    def run_it(self, *words, **keywords):
        return subprocess.run([sys.executable, "-m", "wavelane", *words], capture_output=True, text=True, **keywords)

    def test_the_command_is_in_the_package(self):
        self.assertEqual(self.run_it("--version").stdout, f"wavelane {wl.__version__}\n")
        self.assertEqual(self.run_it("check", "no-such-file.hlsl").returncode, 2)

    def test_its_workers_are_started_through_python(self):
        with tempfile.TemporaryDirectory() as folder:
            test = Path(folder) / "one_test.hlsl"
            test.write_text("#include <wavelane.hlsli>\nTEST_CASE(sums) { EXPECT_EQ(WaveActiveSum(1), WaveGetLaneCount()); }\n")
            ran = self.run_it("test", str(test))
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
            self.assertIn("6 passed, 0 failed", ran.stdout)


@unittest.skipIf(np is None, "skipped: there is no NumPy")
class WithNumPy(unittest.TestCase):
    def test_the_programs_of_the_manual_run(self):
        manual = Path(__file__).parents[3] / "docs" / "python.md"
        programs = manual.read_text(encoding="utf-8").split("```python\n")[1:]
        self.assertGreaterEqual(len(programs), 2)
        for program in programs:
            text = program.split("```")[0]
            ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            if "# width-dependent-result" in text:
                self.assertIn(text.split("# ")[1].split("\n")[0] + "\n", ran.stdout)

    def test_arrays_are_used_in_place(self):
        data = np.arange(1 << 16, dtype="u4")
        address = data.ctypes.data
        wl.compile(DOUBLE)[(1 << 16) // 8](Data=data)
        self.assertEqual(data.ctypes.data, address)
        self.assertTrue((data == 2 * np.arange(1 << 16, dtype="u4")).all())

    def test_structured_arrays_are_checked_member_by_member(self):
        text = """
        struct Particle { float3 position; uint id; };
        RWStructuredBuffer<Particle> Data;
        [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { Data[i].position.y += 1; Data[i].id = i; }
        """
        kernel = wl.compile(text)
        data = np.zeros(4, [("position", "f4", 3), ("id", "u4")])
        kernel[1](Data=data)
        self.assertEqual(data["id"].tolist(), [0, 1, 2, 3])
        self.assertEqual(data["position"].tolist(), [[0, 1, 0]] * 4)
        for wrong in ([("position", "f4", 3), ("id", "i4")], [("id", "u4"), ("position", "f4", 3)], [("position", "f4", 3)]):
            with self.assertRaises(wl.ArgumentError):
                kernel[1](Data=np.zeros(4, wrong))

    def test_halves_and_structures_are_compared_with_arrays(self):
        text = "RWStructuredBuffer<half> Data;\n[numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) { Data[i] = i + 0.5h; }"
        kernel, data = wl.compile(text, enable_16bit=True), np.zeros(8, "f2")
        self.assertEqual(wl.sweep(kernel, 1, Data=data).results[4]["Data"].tolist(), [it + 0.5 for it in range(8)])
        assert_agrees(kernel, 1, Data=data, expected={"Data": np.arange(8) + 0.5})
        text = """
        struct Particle { float3 position; uint id; };
        RWStructuredBuffer<Particle> Data;
        [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { Data[i].id = WaveGetLaneCount(); }
        """
        dtype = [("position", "f4", 3), ("id", "u4")]
        kernel, data = wl.compile(text), np.zeros(4, dtype)
        assert_agrees(kernel, 1, Data=data, expected=lambda width: {"Data": np.array([((0, 0, 0), width)] * 4, dtype)})
        with self.assertRaises(AssertionError) as caught:
            assert_agrees(kernel, 1, Data=data, widths=[8], expected={"Data": np.array([((0, 0, 0), 9)] * 4, dtype)})
        self.assertIn("`Data[3]` is 8, and 9 is expected", str(caught.exception))

    def test_vectors_are_rows(self):
        text = "RWStructuredBuffer<float4> Data;\n[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { Data[i].w = i; }"
        data = np.zeros((4, 4), "f4")
        wl.compile(text)[1](Data=data)
        self.assertEqual(data[:, 3].tolist(), [0, 1, 2, 3])

    def test_what_numpy_has_and_hlsl_has_not(self):
        kernel = wl.compile(DOUBLE)
        for dtype, part in (
            ("?", "truth values"),
            ("c8", "complex numbers"),
            (">u4", "big-endian"),
            ("u8", "`uint64`"),
            ("f2", "`float16`"),
            ("O", "Python objects"),
            ("U4", "text"),
            ("S4", "text"),
            ("V4", "4 bytes without a type"),
            ("M8[s]", "exports no memory"),
        ):
            with self.assertRaises(wl.ArgumentError, msg=dtype) as caught:
                kernel[1](Data=np.zeros(8, dtype))
            self.assertIn("`Data`", str(caught.exception))
            self.assertIn(part, str(caught.exception))
        unaligned = np.zeros(33, "u1")[1:].view("u4")
        with self.assertRaises(wl.ArgumentError) as caught:
            kernel[1](Data=unaligned)
        self.assertIn("multiple of 4", str(caught.exception))

    def test_dlpack(self):
        data = np.arange(8, dtype="u4")
        wl.compile(DOUBLE)[1](Data=Capsule(data))
        self.assertEqual(data.tolist(), [0, 2, 4, 6, 8, 10, 12, 14])
        with self.assertRaises(wl.ArgumentError) as caught:
            wl.compile(DOUBLE)[1](Data=Capsule(data, device=(2, 0)))
        self.assertIn("CUDA", str(caught.exception))
        with self.assertRaises(wl.ArgumentError) as caught:
            wl.compile(DOUBLE)[1](Data=Capsule(np.arange(16, dtype="u4")[::2]))
        self.assertIn("contiguous", str(caught.exception))

    def test_numbers_of_numpy_are_constants(self):
        out = np.zeros(8, "u4")
        wl.compile(ADD)[1](In=np.arange(8, dtype="u4"), Out=out, Amount=np.uint32(4), On=np.bool_(True), Tint=np.zeros(3))
        self.assertEqual(out.tolist(), [it + 4 for it in range(8)])

    def test_binding_takes_no_memory(self):
        import resource

        data = np.ones(1 << 26, "u4")
        kernel = wl.compile(DOUBLE)
        kernel.prepare()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        call = kernel.bind(1, Data=data)
        call()
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self.assertLess(after - before, 16 << 10, "KiB")
        self.assertEqual(data[:9].tolist(), [2] * 8 + [1])


@unittest.skipIf(pa is None, "skipped: there is no Arrow")
class WithArrow(unittest.TestCase):
    def test_arrow_is_read_in_place(self):
        out = words(*[0] * 8)
        wl.compile(ADD)[1](In=pa.array(range(100, 116), pa.uint32())[8:], Out=out, On=False)
        self.assertEqual(out.tolist(), list(range(108, 116)))

    def test_a_column_in_one_chunk_is_read_in_place(self):
        numbers = pa.array(range(100, 116), pa.uint32())
        empty = pa.array([], pa.uint32())
        for chunks, first in (([numbers], 100), ([empty, numbers[8:], empty], 108)):
            out = words(*[0] * 8)
            column = pa.chunked_array(chunks)
            call = wl.compile(ADD).bind(1, In=column, Out=out, On=False)
            del column, chunks
            call()
            self.assertEqual(out.tolist(), list(range(first, first + 8)))
        out = words(*[7] * 8)
        wl.compile(ADD)[1](In=pa.chunked_array([], pa.uint32()), Out=out, On=False)
        self.assertEqual(out.tolist(), [0] * 8)
        for wrong, part in (
            (pa.chunked_array([numbers, numbers]), "several chunks"),
            (pa.table({"column": numbers}), "one of its columns"),
            (pa.chunked_array([pa.array([True] * 8)]), "truth values"),
        ):
            with self.assertRaises(wl.ArgumentError) as caught:
                wl.compile(ADD)[1](In=wrong, Out=words(*[0] * 8))
            self.assertIn(part, str(caught.exception))

    def test_what_arrow_cannot_give(self):
        for wrong, part in (
            (pa.array([1, None, 3, 4], pa.uint32()), "nulls"),
            (pa.array(["a"] * 8), "not a plain number"),
            (pa.array([1.0] * 8, pa.float32()), "`float32`"),
        ):
            with self.assertRaises(wl.ArgumentError) as caught:
                wl.compile(ADD)[1](In=wrong, Out=words(*[0] * 8))
            self.assertIn(part, str(caught.exception))
        with self.assertRaises(wl.ArgumentError) as caught:
            wl.compile(DOUBLE)[1](Data=pa.array(range(8), pa.uint32()))
        self.assertIn("read-only", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
