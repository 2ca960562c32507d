"""Compares `wavelane reduce` with reducers that do not know HLSL, on thirty planted faults.

A fault is a compiler that ends where its IR holds some operations, or one that takes a function for another. A case is the
first generated program, from a seed on, that shows a fault. All reducers ask the same script, which keeps a program that
shows the fault and in which the sanitizer finds nothing undefined; it counts its calls.

    python3 benches/reducers/compare.py --wavelane target/release/wavelane --treereduce PATH

`--treereduce` is a build of treereduce with the grammar tree-sitter-hlsl; C-Vise is taken from PATH. What is missing is
printed as skipped. Runs with one job each, and ends a reducer after `--limit` seconds with the best that it has by then.
"""

import argparse
import os
import pathlib
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import time

FLAGS = "-w -T cs_6_7 -enable-16bit-types"

# What the IR holds where the compiler ends: all of the patterns.
DIES = {
    "switch": [" = switch "],
    "ballot in a loop": [" = loop ", "wave.ballot"],
    "match": ["wave.match"],
    "64 bits and a reduction": [": i64", "wave.reduce"],
    "first lane and a loop": ["wave.read_lane_first", " = loop "],
    "half": [" = .* f16"],
    "prefix product": ["wave.scan.product"],
    "partitioned sum": ["wave.multi_scan.sum"],
    "partitioned or": ["wave.multi_scan.or"],
    "read lane and a switch": ["wave.read_lane_at", " = switch "],
    "double and a product": ["wave.reduce.product", ": f64"],
    "equality and a match": ["wave.all_equal", "wave.match"],
    "barrier": ["barrier.group"],
    "atomic xor": ["atomic.xor"],
    "atomic and a loop": ["atomic", " = loop "],
    "quad": ["wave.quad_read"],
    "prefix count": ["wave.prefix_count_bits"],
    "two reductions": ["wave.reduce.min", "wave.reduce.xor"],
}

# What the compiler reads instead of what is written, as a substitution of `sed`.
TAKES = {
    "sum for maximum": "s/WaveActiveSum(/WaveActiveMax(/g",
    "any for all": "s/WaveActiveAnyTrue(/WaveActiveAllTrue(/g",
    "prefix sum for sum": "s/WavePrefixSum(/WaveActiveSum(/g",
    "prefix product for product": "s/WavePrefixProduct(/WaveActiveProduct(/g",
    "minimum for maximum": "s/WaveActiveMin(/WaveActiveMax(/g",
    "xor for or": "s/WaveActiveBitXor(/WaveActiveBitOr(/g",
    "first lane for smallest": "s/WaveReadLaneFirst(/WaveActiveMin(/g",
    "difference for sum": "s/ - / + /g",
    "exclusive or for or": "s/ \\^ / | /g",
    "post-test for no loop": "s/while (.*);$/while (false);/",
    "and for or": "s/WaveActiveBitAnd(/WaveActiveBitOr(/g",
    "less for not less": "s/ < / >= /g",
}

SCRIPT = """#!/bin/sh
# Whether the program, a.hlsl or the first argument, shows the fault and is defined.
f=${{1:-a.hlsl}}
echo >> {count}
bind=
grep -q '> *Log' "$f" && bind=--bind=Log=[{words}]
t=$(mktemp -d) || exit 2
trap 'rm -rf "$t"' EXIT
{shows}
{wavelane} san --quick {flags} $bind --format json "$f" > "$t/san" 2> "$t/err"
[ $? -le 1 ] && ! grep -q '"verdict": "undefined"' "$t/san"
"""

DIES_IN = '{wavelane} emit --ir {flags} "$f" > "$t/ir" 2> /dev/null || exit 1\n{greps}'
GREP = "grep -q {pattern} \"$t/ir\" || exit 1"
TAKES_IN = """sed {edit} "$f" > "$t/wrong.hlsl"
cmp -s "$f" "$t/wrong.hlsl" && exit 1
{wavelane} run {flags} $bind --wave-size 4,32 --format json "$f" > "$t/right" 2> /dev/null
[ $? -le 1 ] || exit 1
{wavelane} run {flags} $bind --wave-size 4,32 --format json "$t/wrong.hlsl" > "$t/wrong" 2> /dev/null
[ $? -le 1 ] || exit 1
cmp -s "$t/right" "$t/wrong" && exit 1"""

TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|<<|>>|[=!<>&|+*/%^-]=|&&|\|\||\+\+|--|\S")


def size(text):
    """Lines that hold something, and tokens."""
    return sum(1 for it in text.splitlines() if it.strip()), len(TOKEN.findall(text))


class Case:
    def __init__(self, options, folder, name, text, words, shows):
        self.name, self.text, self.words, self.options = name, text, words, options
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.count = folder / "count"
        self.script = folder / "keeps.sh"
        wavelane = shlex.quote(options.wavelane)
        self.script.write_text(SCRIPT.format(
            count=self.count, words=words, shows=shows, wavelane=wavelane, flags=FLAGS))
        self.script.chmod(0o755)
        (folder / "whole.hlsl").write_text(text)

    def keeps(self, file):
        return subprocess.run([self.script, file], cwd=self.folder).returncode == 0

    def reduced(self, reducer, command, result):
        """Runs a reducer in a separate folder; returns its lines, tokens, calls, seconds and whether it came to its end."""
        folder = self.folder / reducer
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "a.hlsl").write_text(self.text)
        self.count.unlink(missing_ok=True)
        start = time.monotonic()
        log = (folder / "log").open("w")
        process = subprocess.Popen(
            command, cwd=folder, stdout=log, stderr=log, start_new_session=True)
        try:
            process.wait(self.options.limit)
            ended = True
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGINT)
            time.sleep(1)
            ended = False
        seconds = time.monotonic() - start
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        calls = len(self.count.read_text()) if self.count.exists() else 0
        file = folder / result
        text = file.read_text() if file.exists() else self.text
        final = folder / "final.hlsl"
        final.write_text(text)
        assert self.keeps(final), f"{self.name}: {reducer} left what the script does not keep"
        return (*size(text), calls, seconds, ended)


def programs(options, folder):
    """The generated programs as another compiler would see them."""
    folder.mkdir(parents=True)
    subprocess.run(
        [options.wavelane, "fuzz", "--target", "false {in}", "--count", str(options.count), "--seed",
         str(options.seed), "--attempts", "0", "--save", folder],
        stdout=subprocess.DEVNULL, check=False)
    files = sorted(folder.iterdir(), key=lambda it: int(it.stem.split("-")[-1]))
    return [it.read_text() for it in files]


def words_of(text):
    """The words of `Log`: every thread has as many as it mixes."""
    threads = int(re.search(r"numthreads\((\d+)", text)[1])
    a_thread = int(re.search(r"mix\(thread \* (\d+)", text)[1])
    counters = [int(it) for it in re.findall(r"Log\[(\d+)\]", text)]
    return max([threads * a_thread] + [it + 1 for it in counters])


def cases(options, folder):
    texts = programs(options, folder / "programs")
    wavelane = shlex.quote(options.wavelane)
    faults = []
    for name, patterns in DIES.items():
        greps = "\n".join(GREP.format(pattern=shlex.quote(it)) for it in patterns)
        faults.append((name, DIES_IN.format(wavelane=wavelane, flags=FLAGS, greps=greps)))
    for name, edit in TAKES.items():
        shows = TAKES_IN.format(wavelane=wavelane, flags=FLAGS, edit=shlex.quote(edit))
        faults.append((name, shows))
    part, parts = map(int, options.part.split("/"))
    for number, (name, shows) in list(enumerate(faults))[part - 1::parts]:
        # Each fault begins its search at another program.
        for at in range(len(texts)):
            text = texts[(at + 7 * number) % len(texts)]
            if not 60 <= size(text)[0] <= 160:
                continue
            case = Case(options, folder / name.replace(" ", "-"), name, text, words_of(text), shows)
            if case.keeps(case.folder / "whole.hlsl"):
                yield case
                break
        else:
            print(f"skipped: {name}: no program shows it", flush=True)


def reducers(options, case):
    wavelane = [
        options.wavelane, "reduce", "a.hlsl", "--keep", f"{case.script} {{}}", "-o", "small.hlsl",
        "-j", "1", f"--bind=Log=[{case.words}]", *FLAGS.split()]
    yield "wavelane", wavelane, "small.hlsl"
    if options.treereduce:
        words = [options.treereduce, "--stable", "-j", "1", "-q", "--source", "a.hlsl", "-o",
                 "small.hlsl", "--", str(case.script), "@@.hlsl"]
        yield "treereduce", words, "small.hlsl"
    if options.cvise:
        yield "cvise", [options.cvise, "--not-c", "--n", "1", str(case.script), "a.hlsl"], "a.hlsl"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wavelane", default="target/release/wavelane", type=os.path.abspath)
    parser.add_argument("--treereduce", type=os.path.abspath)
    parser.add_argument("--cvise", default=shutil.which("cvise"))
    parser.add_argument("--only", help="reducers, with commas")
    parser.add_argument("--part", default="1/1", help="K/N: every Nth case from the Kth on")
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("target/reducers"))
    options = parser.parse_args()
    for name in ("treereduce", "cvise"):
        if not getattr(options, name):
            print(f"skipped: {name}: not found")
    folder = options.folder.absolute()
    shutil.rmtree(folder, ignore_errors=True)
    rows = {}
    only = options.only.split(",") if options.only else None
    for case in cases(options, folder):
        lines, tokens = size(case.text)
        print(f"{case.name}: {lines} lines, {tokens} tokens", flush=True)
        for reducer, command, result in reducers(options, case):
            if only and reducer not in only:
                continue
            row = case.reduced(reducer, command, result)
            rows.setdefault(reducer, []).append(row)
            told = "" if row[4] else ", not done"
            print(f"  {reducer}: {row[0]} lines, {row[1]} tokens, {row[2]} calls, {row[3]:.1f} s{told}",
                  flush=True)
    print("\n| | median lines | median tokens | median calls | median time | not done |")
    print("|---|---:|---:|---:|---:|---:|")
    for reducer, all_rows in rows.items():
        median = [statistics.median(it[column] for it in all_rows) for column in range(4)]
        late = sum(1 for it in all_rows if not it[4])
        print(f"| {reducer} | {median[0]:g} | {median[1]:g} | {median[2]:g} | {median[3]:.1f} s | {late} of {len(all_rows)} |")


if __name__ == "__main__":
    main()
