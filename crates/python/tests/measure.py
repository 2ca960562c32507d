"""Measures what a call from Python costs: `python crates/python/tests/measure.py`, with the wheel and NumPy installed."""

import subprocess
import sys
import time

import numpy as np
import wavelane as wl


def best(work, rounds=7, count=1):
    """The least time of a call, in seconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(count):
            work()
        times.append((time.perf_counter() - start) / count)
    return min(times)


def imports():
    code = "import time; t = time.perf_counter(); import wavelane; print(time.perf_counter() - t)"
    return min(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(7))


SMALL = "RWStructuredBuffer<uint> Data;\n[numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) { Data[i] += 1; }"
COPY = """
StructuredBuffer<uint> In; RWStructuredBuffer<uint> Out;
[numthreads(64, 1, 1)] void main(uint3 i : SV_DispatchThreadID) { Out[i.x] = In[i.x]; }
"""


def main():
    print(f"import, without NumPy: {1e3 * imports():.1f} ms")
    data = np.zeros(8, "u4")
    small = wl.compile(SMALL)
    call = small.bind(1, Data=data)
    print(f"a bound call of one wave: {1e6 * best(call, count=20000):.2f} us")
    print(f"a call that checks its arguments: {1e6 * best(lambda: small[1](Data=data), count=5000):.2f} us")
    print(f"a copy of 32 bytes by NumPy: {1e6 * best(lambda: np.copyto(data, data), count=20000):.2f} us")
    # As many groups as one dimension may have, rounded down.
    groups = 1 << 15
    source, target = np.arange(64 * groups, dtype="u4"), np.zeros(64 * groups, "u4")
    copy = wl.compile(COPY).bind(groups, In=source, Out=target)
    mebibytes = source.nbytes / 2**20
    print(f"a copy of {mebibytes:.0f} MiB in HLSL: {1e3 * best(copy):.2f} ms")
    assert (source == target).all()
    print(f"a copy of {mebibytes:.0f} MiB by NumPy: {1e3 * best(lambda: np.copyto(target, source)):.2f} ms")


if __name__ == "__main__":
    main()
