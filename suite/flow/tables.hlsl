// Which lanes are active where: small programs for a wave of four lanes, and the ballot at each point.

//--- table-if-else
//# args -Wno-narrow-lane-mask
// L0; if (t & 1) L1 else L2; L3.
//# widths 4
//# zero Out 64
//= Out u32: 15 15 15 15 0 10 0 10 5 0 5 0 15 15 15 15
RWStructuredBuffer<uint> Out;
void at(uint place) { Out[place * 4 + WaveGetLaneIndex()] = WaveActiveBallot(true).x; }

[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    at(0);
    if (t & 1) { at(1); } else { at(2); }
    at(3);
}

//--- table-early-return
//# args -Wno-narrow-lane-mask
// Lanes that return are gone for good.
//# widths 4
//# zero Out 64
//= Out u32: 15 15 15 15 0 10 0 10 5 0 5 0 5 0 5 0
RWStructuredBuffer<uint> Out;
void at(uint place) { Out[place * 4 + WaveGetLaneIndex()] = WaveActiveBallot(true).x; }

[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    at(0);
    if (t & 1) { at(1); return; } else { at(2); }
    at(3);
}

//--- table-nested-return
//# args -Wno-narrow-lane-mask
// Lane 3 returns from the inner branch, lane 1 rejoins the even lanes.
//# widths 4
//# zero Out 96
//= Out u32: 15 15 15 15 0 10 0 10 0 0 0 8 0 2 0 0 5 0 5 0 7 7 7 0
RWStructuredBuffer<uint> Out;
void at(uint place) { Out[place * 4 + WaveGetLaneIndex()] = WaveActiveBallot(true).x; }

[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    at(0);
    if (t & 1) {
        at(1);
        if (t & 2) { at(2); return; }
        at(3);
    } else {
        at(4);
    }
    at(5);
}

//--- table-for-loop
//# args -Wno-narrow-lane-mask
// Each iteration runs with the lanes that are still in the loop.
//# widths 4
//# zero Out 64
//= Out u32: 0 14 14 14 0 0 12 12 0 0 0 8 15 15 15 15
RWStructuredBuffer<uint> Out;
void at(uint place) { Out[place * 4 + WaveGetLaneIndex()] = WaveActiveBallot(true).x; }

[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    for (uint i = 0; i < t; ++i) at(i);
    at(3);
}

//--- table-break-block
//# args -Wno-narrow-lane-mask
// Code before a break runs in the iteration in which its lanes leave.
//# widths 4
//# zero Out 208
//= Out u32: 15 15 15 15 0 14 14 14 0 0 12 12 0 0 0 8 1 0 0 0 0 2 0 0 0 0 4 0 0 0 0 8 0 14 14 14 0 0 12 12 0 0 0 8 0 0 0 0 15 15 15 15
RWStructuredBuffer<uint> Out;
void at(uint place) { Out[place * 4 + WaveGetLaneIndex()] = WaveActiveBallot(true).x; }

[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint i = 0;
    for (;;) {
        at(i);
        if (i >= t) { at(4 + i); break; }
        at(8 + i);
        i++;
    }
    at(12);
}

//--- table-continue
//# args -Wno-narrow-lane-mask
// The step of a loop runs once for all lanes that continue, whichever path they took.
//# widths 4
//# zero Out 208
//= Out u32: 0 14 14 14 0 0 12 12 0 0 0 8 0 10 0 10 0 0 0 8 0 0 0 8 0 0 4 0 0 0 4 0 0 0 0 0 0 14 14 14 0 0 12 12 0 0 0 8 15 15 15 15
RWStructuredBuffer<uint> Out;
void at(uint place) { Out[place * 4 + WaveGetLaneIndex()] = WaveActiveBallot(true).x; }
void step(inout uint i) { at(9 + i); i++; }

[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    for (uint i = 0; i < t; step(i)) {
        at(i);
        if (t & 1) { at(3 + i); continue; }
        at(6 + i);
    }
    at(12);
}

//--- table-breaks-never-taken
//# args -Wno-narrow-lane-mask
// Edges that no lane takes do not separate the other lanes.
//# widths 4
//# zero Out 208
//# in Never u32: 0
//= Out u32: 0 14 14 14 0 0 12 12 0 0 0 8 0 0 0 8 0 0 0 8 0 0 0 8 0 2 0 0 0 0 0 0 0 0 0 0 0 6 6 0 0 0 4 0 0 0 0 0 15 15 15 15
RWStructuredBuffer<uint> Out;
StructuredBuffer<uint> Never;
void at(uint place) { Out[place * 4 + WaveGetLaneIndex()] = WaveActiveBallot(true).x; }

[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    for (uint i = 0; i < t; ++i) {
        at(i);
        if (t & 1) {
            if (t & 2) {
                if (Never[0]) break;
                at(3 + i);
                continue;
            } else {
                if (Never[0]) break;
                at(6 + i);
            }
        }
        at(9 + i);
    }
    at(12);
}

//--- table-switch
//# args -Wno-narrow-lane-mask
// Every lane in its own case, joined after the switch.
//# widths 4
//# zero Out 80
//= Out u32: 1 0 0 0 0 2 0 0 0 0 4 0 0 0 0 8 15 15 15 15
RWStructuredBuffer<uint> Out;
void at(uint place) { Out[place * 4 + WaveGetLaneIndex()] = WaveActiveBallot(true).x; }

[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    switch (t) {
        case 0: at(0); break;
        case 1: at(1); break;
        case 2: at(2); break;
        default: at(3); break;
    }
    at(4);
}

//--- table-switch-without-default
//# args -Wno-narrow-lane-mask
// Lane 3 selects no case and waits at the end.
//# widths 4
//# zero Out 64
//= Out u32: 1 0 0 0 0 2 0 0 0 0 4 0 15 15 15 15
RWStructuredBuffer<uint> Out;
void at(uint place) { Out[place * 4 + WaveGetLaneIndex()] = WaveActiveBallot(true).x; }

[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    switch (t) {
        case 0: at(0); break;
        case 1: at(1); break;
        case 2: at(2); break;
    }
    at(3);
}

//--- table-case-groups
//# finds switch-convergence
//# args -Wno-narrow-lane-mask
// Labels before the same statements share them, regardless of the selectors.
//# widths 4
//# zero Out 48
//= Out u32: 3 3 0 0 0 0 12 12 15 15 15 15
RWStructuredBuffer<uint> Out;
void at(uint place) { Out[place * 4 + WaveGetLaneIndex()] = WaveActiveBallot(true).x; }

[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    switch (t) {
        case 0:
        case 1: at(0); break;
        case 2:
        default: at(1); break;
    }
    at(2);
}

//--- table-fall-through
//# finds switch-convergence
//# args -Wno-narrow-lane-mask
// Lanes that fall into a case join those that selected it.
//# widths 4
//# zero Out 64
//= Out u32: 1 0 0 0 3 3 0 0 15 15 15 15 15 15 15 15
RWStructuredBuffer<uint> Out;
void at(uint place) { Out[place * 4 + WaveGetLaneIndex()] = WaveActiveBallot(true).x; }

[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    switch (t) {
        case 0: at(0);
        case 1: at(1);
        default: at(2);
    }
    at(3);
}

//--- many-cases-are-found-and-fallen-through
// Runs of cases that no lane selects are jumped over, and lanes still fall from one run into the next: labels out of order,
// negative ones, a default in the middle, and for each lane what a chain of comparisons says.
//# widths 4 8 16 32 64 128
//# zero Out 512
//= Out u32: 1*128
RWStructuredBuffer<uint> Out;

// The cases in the order of the text, as steps of a sum; -1 where a case breaks.
int run(int x) {
    int r = 1;
    switch (x) {
        case 3: r += 2;
        case -7: r *= 3; break;
        case 0: r += 5;
        case 1: r += 7;
        case 2: r = r * 2 + x;
        case 40: r += 11;
        case 41: r *= 5;
        case 42: r += 1; break;
        case 9:
        case 8: r += 13;
        default: r = r * 7 + 1;
        case 10: r += 17;
        case 11: r ^= 9; break;
        case 0x7fffffff: r += 19;
        case 20: r += 23; break;
        case 21: r += 29;
        case 22: r += 31;
    }
    return r;
}

int step(int r, int x, int at) {
    switch (at) {
        case 0: return r + 2;
        case 1: return r * 3;
        case 2: return r + 5;
        case 3: return r + 7;
    }
    if (at == 4) return r * 2 + x;
    if (at == 5) return r + 11;
    if (at == 6) return r * 5;
    if (at == 7) return r + 1;
    if (at == 8) return r;
    if (at == 9) return r + 13;
    if (at == 10) return r * 7 + 1;
    if (at == 11) return r + 17;
    if (at == 12) return r ^ 9;
    if (at == 13) return r + 19;
    if (at == 14) return r + 23;
    if (at == 15) return r + 29;
    return r + 31;
}

static const int Labels[17] = { 3, -7, 0, 1, 2, 40, 41, 42, 9, 8, 0, 10, 11, 0x7fffffff, 20, 21, 22 };

int expected(int x) {
    int first = 10;
    for (int i = 0; i < 17; i++) {
        if (i != 10 && Labels[i] == x) first = i;
    }
    int r = 1;
    for (int at = first; at < 17; at++) {
        r = step(r, x, at);
        if (at == 1 || at == 7 || at == 12 || at == 14) break;
    }
    return r;
}

[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    // Most lanes of a wave select something else; then all of them the same, which no compiler knows or everyone does.
    int x = int(t * 5 % 56) - 8;
    if (t == 77) x = 0x7fffffff;
    bool ok = run(x) == expected(x);
    for (int same = -8; same < 48; same++) {
        int all = WaveReadLaneFirst(same);
        ok = ok && run(all) == expected(all);
    }
    if (t % 3 != 0) ok = ok && run(-7 + int(t % 11)) == expected(-7 + int(t % 11));
    Out[t] = ok ? 1 : 0;
}
