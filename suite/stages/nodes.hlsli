// A work graph, for the sections of nodes.hlsl.
struct Record {
    uint3 grid : SV_DispatchGrid;
    uint value;
};

struct Small {
    uint value;
};

[Shader("node")]
[NodeIsProgramEntry]
[NodeLaunch("broadcasting")]
[NodeMaxDispatchGrid(16, 1, 1)]
[NodeID("first", 0)]
[NumThreads(32, 1, 1)]
void broadcast(DispatchNodeInputRecord<Record> input, uint thread : SV_GroupIndex,
               [MaxRecords(32)] [NodeID("second")] NodeOutput<Small> next,
               [MaxRecords(4)] [NodeArraySize(8)] NodeOutputArray<Small> many,
               [MaxRecordsSharedWith(next)] EmptyNodeOutput done,
               [MaxRecords(4)] [NodeArraySize(8)] EmptyNodeOutputArray several) {
    ThreadNodeOutputRecords<Small> records = next.GetThreadNodeOutputRecords(1);
    records.Get().value = input.Get().value + thread;
    records[0].value += 1;
    records.OutputComplete();
    GroupNodeOutputRecords<Small> group = many[2].GetGroupNodeOutputRecords(4);
    if (many[3].IsValid()) group.Get(thread & 3).value = 1;
    group.OutputComplete();
    done.ThreadIncrementOutputCount(1);
    several[1].GroupIncrementOutputCount(2);
}

[Shader("node")]
[NodeLaunch("coalescing")]
[NumThreads(64, 1, 1)]
void second([MaxRecords(64)] RWGroupNodeInputRecords<Small> input, uint i : SV_GroupIndex) {
    if (i < input.Count()) {
        input[i].value += GetRemainingRecursionLevels();
        input.Get(i).value = 2;
    }
}

[Shader("node")]
[NodeLaunch("thread")]
void third(ThreadNodeInputRecord<Small> input) {}

[Shader("node")]
[NodeLaunch("broadcasting")]
[NodeDispatchGrid(2, 1, 1)]
[NumThreads(8, 1, 1)]
void share(globallycoherent RWDispatchNodeInputRecord<Small> input) {
    Barrier(UAV_MEMORY, DEVICE_SCOPE | GROUP_SYNC);
    if (!input.FinishedCrossGroupSharing()) return;
}
