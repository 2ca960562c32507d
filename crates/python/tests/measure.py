"""Measures what a call from Python costs: `python crates/python/tests/measure.py [libwavelane_c.so]`, with the wheel and NumPy
installed. With the C library of the same build, calls are compared with its own, in turns: it adds next to nothing to Rust's.
"""

import ctypes
import subprocess
import sys
import time

import numpy as np
import wavelane as wl


def best(*works, rounds=300, count=1):
    """The least times of calls that take turns, in seconds: short turns and many, for busy machines."""
    least = [float("inf")] * len(works)
    for _ in range(rounds):
        for index, work in enumerate(works):
            start = time.perf_counter()
            for _ in range(count):
                work()
            least[index] = min(least[index], (time.perf_counter() - start) / count)
    return least


def imports():
    code = "import time; t = time.perf_counter(); import wavelane; print(time.perf_counter() - t)"
    return min(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(20))


SMALL = "RWStructuredBuffer<uint> Data;\n[numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) { Data[i] += 1; }"
COPY = """
StructuredBuffer<uint> In; RWStructuredBuffer<uint> Out;
[numthreads(64, 1, 1)] void main(uint3 i : SV_DispatchThreadID) { Out[i.x] = In[i.x]; }
"""
GROUPS = 1 << 15


class Peer:
    """Kernels through the C interface."""

    class Launch(ctypes.Structure):
        _fields_ = [(name, ctypes.c_uint32) for name in ("x", "y", "z", "wave_size")] + [("fuel", ctypes.c_uint64)]

    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def call(self, text, groups, **arrays):
        library, made = self.library, [ctypes.c_void_p() for _ in range(3)]
        shader, pipeline, table = made
        text = text.encode()
        words = (text, ctypes.c_size_t(len(text)), None, None, None, ctypes.c_size_t(0))
        assert library.wl_compile(*words, ctypes.byref(shader)) == 0
        assert library.wl_pipeline(shader, None, 1, ctypes.byref(pipeline)) == 0
        assert library.wl_table(shader, ctypes.byref(table)) == 0
        for name, array in arrays.items():
            memory, size = ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes)
            assert library.wl_bind(table, name.encode(), memory, size) == 0
        launch = Peer.Launch(groups, 1, 1, 0, 0)
        dispatch, where = library.wl_dispatch, ctypes.byref(launch)
        return lambda: dispatch(pipeline, where, table)

    def nothing(self):
        """What `ctypes` itself costs."""
        version, launch = self.library.wl_version, Peer.Launch()
        where, handle = ctypes.byref(launch), ctypes.c_void_p()
        return lambda: version(handle, where, handle)


def binding(data):
    """How much binding and calling adds to the memory of the process, in KiB."""

    def resident():
        with open("/proc/self/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    kernel = wl.compile(SMALL)
    kernel[1](Data=data)
    before = resident()
    call = kernel.bind(1, Data=data)
    call()
    return resident() - before


def main():
    peer = Peer(sys.argv[1]) if len(sys.argv) > 1 else None
    print(f"import, without NumPy: {1e3 * imports():.1f} ms")
    data = np.zeros(8, "u4")
    small = wl.compile(SMALL)
    call = small.bind(1, Data=data)
    if peer:
        times = best(call, peer.call(SMALL, 1, Data=data), peer.nothing(), count=200)
        bound, c, nothing = (1e6 * it for it in times)
        print(f"a bound call of one wave: {bound:.2f} us, {bound - (c - nothing):.2f} us over C")
    else:
        print(f"a bound call of one wave: {1e6 * best(call, count=200)[0]:.2f} us")
    print(f"a call that checks its arguments: {1e6 * best(lambda: small[1](Data=data), count=200)[0]:.2f} us")
    print(f"a copy of 32 bytes by NumPy: {1e6 * best(lambda: np.copyto(data, data), count=200)[0]:.2f} us")
    source, target = np.arange(64 * GROUPS, dtype="u4"), np.zeros(64 * GROUPS, "u4")
    copy = wl.compile(COPY).bind(GROUPS, In=source, Out=target)
    mebibytes = source.nbytes / 2**20
    works = [copy, lambda: np.copyto(target, source)]
    if peer:
        works.append(peer.call(COPY, GROUPS, In=source, Out=target))
    times = best(*works)
    assert (source == target).all()
    print(f"a copy of {mebibytes:.0f} MiB in HLSL: {1e3 * times[0]:.2f} ms; by NumPy: {1e3 * times[1]:.2f} ms")
    if peer:
        print(f"its throughput, compared with the same through C: {times[2] / times[0]:.3f}")
    print(f"binding 1 GiB adds {binding(np.zeros(1 << 28, 'u4'))} KiB")


if __name__ == "__main__":
    main()
