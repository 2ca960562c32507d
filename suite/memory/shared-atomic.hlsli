// An atomic operation on groupshared memory: OLD and SILENT, which return what was there or nothing, against APPLY, which is
// plain arithmetic, one lane after the other; on elements of type T, which BITS compares.
#include "prelude.hlsli"
#ifndef BITS
#define BITS(x) x
#endif
#ifndef THREADS
#define THREADS WIDTH
#endif

StructuredBuffer<uint> Zero;
groupshared T cells[WIDTH];
// What each lane does.
groupshared uint indices[THREADS];
groupshared T values[THREADS];
groupshared bool acts[THREADS];

T start(uint cell) { return (T)(cell * 37 + 5); }

// What is in a cell after the lanes below `end`.
T simulated(uint cell, uint end) {
    T now = start(cell);
    for (uint lane = 0; lane < end; ++lane)
        if (acts[lane] && indices[lane] == cell) now = APPLY(now, values[lane]);
    return now;
}

#define ONE(t) 3
// One, but no compiler knows.
#define SAME(t) (Zero[0] + 1)
#define OWN(t) t
#define MIRRORED(t) (WIDTH - 1 - (t))
#define COLLIDING(t) ((t) * (t) % 5 % WIDTH)

#define ALL(t) true
#define SOME(t) ((t) % 3 != 1)
#define ONLY(t) ((t) == 2)

#define VARYING(t) ((T)((t) * 0x9e3779b1u ^ (t) * 29))
#define FIXED(t) ((T)23)
#define UNIFORM(t) ((T)(Zero[0] + 77))

#define DO(INDEX, ACTIVE, VALUE) \
    { \
        index = INDEX(t); \
        value = VALUE(t); \
        active = ACTIVE(t); \
        if (active && !is_silent) OLD(cells[INDEX(t)], VALUE(t), was); \
        if (active && is_silent) SILENT(cells[INDEX(t)], VALUE(t)); \
    } \
    break;

// For each kind of index every kind of set of lanes, and of values.
#define DO_ALL(FIRST, INDEX) \
    case FIRST: DO(INDEX, ALL, VARYING) \
    case FIRST + 1: DO(INDEX, SOME, UNIFORM) \
    case FIRST + 2: DO(INDEX, ONLY, VARYING) \
    case FIRST + 3: DO(INDEX, ALL, FIXED)

#ifdef INDEX
#define COUNT 4
#else
#define COUNT 20
#endif

[numthreads(THREADS, 1, 1)]
void main(uint t : SV_GroupIndex) {
    for (uint check = 0; check < 2 * COUNT; ++check) {
        for (uint cell = t; cell < WIDTH; cell += THREADS) cells[cell] = start(cell);
        GroupMemoryBarrierWithGroupSync();
        bool is_silent = check >= COUNT, active = false;
        uint index = 0;
        T value = (T)0, was = (T)0;
        switch (check % COUNT) {
#ifdef INDEX
            DO_ALL(0, INDEX)
#else
            DO_ALL(0, ONE)
            DO_ALL(4, SAME)
            DO_ALL(8, OWN)
            DO_ALL(12, MIRRORED)
            DO_ALL(16, COLLIDING)
#endif
        }
        indices[t] = index;
        values[t] = value;
        acts[t] = active;
        GroupMemoryBarrierWithGroupSync();
        T wanted = (T)0;
        if (active && !is_silent && index < WIDTH) wanted = simulated(index, t);
        EXPECT_EQ(BITS(was), BITS(wanted));
        for (uint cell = t; cell < WIDTH; cell += THREADS)
            EXPECT_EQ(BITS(cells[cell]), BITS(simulated(cell, THREADS)));
        GroupMemoryBarrierWithGroupSync();
    }
}
