// `wavelane dap` with the client that Microsoft publishes for tests of debug adapters. What it asserts by itself (the order
// of events, paths, locations) is not of our making.
//
//   node dap.mjs WAVELANE FOLDER NODE_MODULES
//
// FOLDER holds `a.hlsl`. The exit status is 77 if the client is not installed.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";

const [program, folder, modules] = process.argv.slice(2);
let DebugClient;
for (const place of [path.join(modules, "x.js"), import.meta.url]) {
    try {
        ({ DebugClient } = createRequire(place)("@vscode/debugadapter-testsupport"));
        break;
    } catch (error) {
        if (error.code !== "MODULE_NOT_FOUND") throw error;
    }
}
if (!DebugClient) process.exit(77);

const shader = path.join(folder, "a.hlsl");
// The name of a program is relative to the folder in which the editor starts the adapter.
const launch = { program: "a.hlsl", waveSize: 8, bind: ["Out=u32[64]"] };

async function visit(name, steps) {
    const client = new DebugClient(program, "dap", "wavelane", { cwd: folder });
    client.defaultTimeout = 60000;
    await client.start();
    await steps(client);
    await client.stop();
    console.log(`client: ${name}`);
}

const location = async (client, thread = 1) => (await client.stackTraceRequest({ threadId: thread })).body.stackFrames[0];
const stopped = async (client, request) => (await Promise.all([client.waitForEvent("stopped"), request()]))[0].body;

await visit("a program runs to its end", async (client) => {
    await Promise.all([client.configurationSequence(), client.launch(launch), client.waitForEvent("terminated")]);
});

await visit("a launch that cannot run is refused with the compiler's words", async (client) => {
    await client.initializeRequest();
    await assert.rejects(client.launchRequest({ ...launch, program: "none.hlsl" }), /none\.hlsl/);
});

await visit("a breakpoint is hit at its path, and the run goes on and back", async (client) => {
    await client.hitBreakpoint(launch, { path: shader, line: 10 });
    const top = await location(client);
    assert.equal(top.source.path, shader);
    const { scopes } = (await client.scopesRequest({ frameId: top.id })).body;
    const locals = scopes.find((it) => it.name === "Locals");
    const { variables } = (await client.variablesRequest({ variablesReference: locals.variablesReference })).body;
    const sum = variables.find((it) => it.name === "sum");
    const lanes = await client.variablesRequest({ variablesReference: sum.variablesReference, filter: "indexed", start: 0, count: 8 });
    assert.deepEqual(lanes.body.variables.map((it) => it.value), ["·0", "1", "·2", "3", "·4", "5", "·6", "7"]);
    const all = await client.evaluateRequest({ expression: "WaveActiveSum(i)", frameId: top.id });
    assert.equal(all.body.result, "16 (all)");
    assert.equal((await stopped(client, () => client.stepInRequest({ threadId: 1 }))).reason, "step");
    assert.equal((await location(client)).name, "twice");
    assert.equal((await stopped(client, () => client.stepBackRequest({ threadId: 1 }))).reason, "step");
    assert.equal((await location(client)).line, 10);
    assert.equal((await stopped(client, () => client.reverseContinueRequest({ threadId: 1 }))).reason, "entry");
    await stopped(client, () => client.continueRequest({ threadId: 1 }));
    assert.equal((await location(client)).line, 10);
});

await visit("instructions are disassembled, stepped and stopped at", async (client) => {
    await client.hitBreakpoint(launch, { path: shader, line: 7 });
    const { instructionPointerReference: here } = await location(client);
    const ask = { memoryReference: here, instructionOffset: -8, instructionCount: 48 };
    const { instructions } = (await client.disassembleRequest(ask)).body;
    assert.equal(instructions.length, 48);
    assert.equal(instructions[8].address, here);
    const wave = instructions.find((it) => it.instruction.includes("wave.reduce.max"));
    const breakpoints = [{ instructionReference: wave.address }];
    const set = await client.customRequest("setInstructionBreakpoints", { breakpoints });
    assert.equal(set.body.breakpoints[0].verified, true);
    assert.equal((await stopped(client, () => client.continueRequest({ threadId: 1 }))).reason, "instruction breakpoint");
    assert.equal((await location(client)).instructionPointerReference, wave.address);
    const next = () => client.nextRequest({ threadId: 1, granularity: "instruction" });
    assert.equal((await stopped(client, next)).reason, "step");
    assert.notEqual((await location(client)).instructionPointerReference, wave.address);
    await Promise.all([client.waitForEvent("terminated"), client.continueRequest({ threadId: 1 })]);
});

await visit("a log point writes lines", async (client) => {
    const set = async () => {
        await client.waitForEvent("initialized");
        const breakpoints = [{ line: 14, logMessage: "sum is {sum@1}" }];
        await client.setBreakpointsRequest({ source: { path: shader }, breakpoints });
        await client.configurationDoneRequest();
    };
    await Promise.all([set(), client.launch(launch), client.assertOutput("console", "sum is 7"), client.waitForEvent("terminated")]);
});
