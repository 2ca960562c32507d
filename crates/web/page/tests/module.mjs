// The module in node: it answers as the native engine does, in the page's own worker, and ends work that is no longer wanted.
//
//   node module.mjs MODULE.wasm CASES.jsonl
import assert from "node:assert/strict";
import { createReadStream, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import vm from "node:vm";

const [, , modulePath, casesPath] = process.argv;
const bytes = readFileSync(modulePath);
const module = new WebAssembly.Module(bytes);
const workerText = readFileSync(new URL("../worker.js", import.meta.url), "utf8");

assert.deepEqual(WebAssembly.Module.imports(module), [], "the module imports something");

/** The page's worker, with its messages in a list. */
function hire() {
    const said = [];
    const listeners = [];
    const context = vm.createContext({
        WebAssembly, TextEncoder, TextDecoder, MessageChannel, performance, console,
        postMessage: message => { said.push(message); listeners.forEach(it => it(message)); },
    });
    vm.runInContext(workerText + ";globalThis.EngineOfPage = Engine;", context);
    context.onmessage({ data: { module } });
    let id = 0;
    return {
        said,
        engine: new context.EngineOfPage(module),
        tell(text, more = {}) {
            context.onmessage({ data: { id: ++id, text, flags: null, width: 0, wants: [], ...more } });
            return id;
        },
        heard(id, what) {
            return new Promise(resume => {
                const look = message => message.id === id && (message.what === what || message.what === "bug");
                const found = said.find(look);
                if (found) resume(found);
                else listeners.push(message => { if (look(message)) resume(message); });
            });
        },
    };
}

// The same answers as the native engine's, byte for byte.
const { engine } = hire();
let equal = 0;
for await (const line of createInterface({ input: createReadStream(casesPath), crlfDelay: Infinity })) {
    const { request, answer } = JSON.parse(line);
    const got = JSON.stringify(engine.ask(request));
    assert.equal(got, JSON.stringify(JSON.parse(answer)), JSON.stringify(request));
    equal++;
}
assert.ok(equal > 0, "there are no cases");
console.log(`node: ${equal} answers are the native engine's`);

const compact = readFileSync(new URL("../../../../examples/compact.hlsl", import.meta.url), "utf8");
const race = readFileSync(new URL("../../../../examples/lost-lanes.hlsl", import.meta.url), "utf8");

// A worker tells everything about a text, in order.
{
    const worker = hire();
    const id = worker.tell(race, { wants: ["emit"] });
    await worker.heard(id, "rest");
    const whats = worker.said.filter(it => it.id === id).map(it => it.what);
    assert.deepEqual(whats, ["tokens", "compile", "run", "sweep", "done", "lanes", "emit", "mend", "rest"]);
}

// The next keystroke ends the work on the text before it, even in an endless loop.
{
    const worker = hire();
    const endless = "RWStructuredBuffer<uint> Out;\n[numthreads(64, 1, 1)] void main() { uint i = 0; while (Out[0] < 5) { i++; Out[1] = i; } }";
    const old = worker.tell(endless);
    await worker.heard(old, "compile");
    const id = worker.tell(compact);
    await worker.heard(id, "done");
    assert.ok(!worker.said.some(it => it.id === old && it.what === "done"), "the old text was worked on to its end");
    assert.equal(worker.said.at(-1).id, id);
    // Without another key, it is given up after the last slice.
    const alone = worker.tell(endless);
    await worker.heard(alone, "run");
    await worker.heard(alone, "done");
    const run = worker.said.filter(it => it.id === alone && it.what === "run").at(-1).answer;
    assert.ok(run.widths.every(it => it.ended.word === "fuel"), JSON.stringify(run.widths));
}

// Many texts, so that leaks would show, and the time from a key to results and findings.
for (const [name, text] of [["compact", compact], ["lost-lanes", race]]) {
    const worker = hire();
    const toResults = [];
    const toFindings = [];
    for (let key = 0; key < 200; key++) {
        const request = { text: text + "// " + "x".repeat(key % 40) };
        const started = performance.now();
        worker.engine.ask({ do: "tokens", ...request });
        worker.engine.ask({ do: "compile", ...request });
        const run = worker.engine.ask({ do: "run", ...request });
        toResults.push(performance.now() - started);
        const swept = worker.engine.ask({ do: "sweep", ...request });
        toFindings.push(performance.now() - started);
        assert.ok(run.widths.every(it => it.ended.word === "done") && Array.isArray(swept.findings));
    }
    const pages = worker.engine.exports.memory.buffer.byteLength >> 20;
    assert.ok(pages <= 64, `the module has grown to ${pages} MiB`);
    const sorted = list => list.slice(20).sort((a, b) => a - b);
    const told = list => `median ${sorted(list)[list.length / 2 - 10].toFixed(1)} ms, worst ${sorted(list).at(-1).toFixed(1)} ms`;
    console.log(`node: ${name}: a key to results at six widths: ${told(toResults)}; to findings: ${told(toFindings)}; memory ${pages} MiB`);
}

// Requests of arbitrary bytes do no harm.
{
    const { alloc, call, free } = engine.exports;
    let seed = 1;
    for (let round = 0; round < 500; round++) {
        const length = round % 50;
        const place = alloc(length) >>> 0;
        const view = new Uint8Array(engine.exports.memory.buffer, place, length);
        for (let at = 0; at < length; at++) view[at] = (seed = (seed * 1103515245 + 12345) & 0x7fffffff) >> 16;
        assert.ok(JSON.parse(engine.taken(call(place, length))).error);
        free(place, length);
    }
}
console.log("node: cancelling, memory and odd requests are fine");
process.exit(0);
