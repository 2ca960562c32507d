// The engine's side of the page: one worker, one module, one text at a time.
//
// Every request to the module is a slice of work. Between two slices the worker lets messages in, and a newer text ends the
// work on the older one. A trap of the module (a bug, or no memory left) is told, and the module is instantiated anew.
"use strict";

const WIDTHS = [4, 8, 16, 32, 64, 128];
// The fuel of a slice: what ends early is answered in the first one, endless loops are given up after the last.
const SLICES = [1 << 14, 1 << 17, 1 << 20];
const SWEEP_FUEL = 1 << 17;

let module = null;
let engine = null;
let newest = 0;

/** One instance of the module. */
class Engine {
    constructor(module) {
        this.exports = new WebAssembly.Instance(module, {}).exports;
    }

    /** A request and its answer; throws what the module said last if it traps. */
    ask(request) {
        const bytes = new TextEncoder().encode(JSON.stringify(request));
        const { alloc, free, call, last_words: lastWords } = this.exports;
        try {
            const place = alloc(bytes.length) >>> 0;
            new Uint8Array(this.exports.memory.buffer, place, bytes.length).set(bytes);
            const answer = JSON.parse(this.taken(call(place, bytes.length)));
            free(place, bytes.length);
            return answer;
        } catch (error) {
            let words = "";
            try { words = this.taken(lastWords()).trim(); } catch { /* It cannot even say so. */ }
            throw new Error(words || `the module stopped: ${error.message}`);
        }
    }

    /** The text that the module hands over. */
    taken(handle) {
        const place = Number(handle >> 32n) >>> 0;
        const length = Number(handle & 0xffffffffn);
        const bytes = new Uint8Array(this.exports.memory.buffer, place, length).slice();
        this.exports.free(place, length);
        return new TextDecoder().decode(bytes);
    }
}

/** Lets messages in: a macrotask, without the delay that timers have. */
function breathe() {
    return new Promise(resume => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => { port1.close(); resume(); };
        port2.postMessage(0);
    });
}

/** Everything about one text, the quickest first; ends as soon as there is a newer one. */
async function work({ id, text, flags, width, wants }) {
    const started = performance.now();
    const say = (what, answer) => postMessage({ id, what, answer });
    const ask = request => engine.ask({ text, ...(flags === null ? {} : { flags }), ...request });
    const isOld = async () => { await breathe(); return id !== newest; };
    say("tokens", ask({ do: "tokens" }));
    const compiled = ask({ do: "compile" });
    say("compile", compiled);
    if (!compiled.runs) {
        say("done", { ms: performance.now() - started });
        return say("rest", null);
    }
    for (const fuel of SLICES) {
        let answer = null;
        for (const width of WIDTHS) {
            if (await isOld()) return;
            answer = ask({ do: "run", widths: [width], fuel });
        }
        say("run", answer);
        if (!answer.unfinished) break;
    }
    if (await isOld()) return;
    const swept = ask({ do: "sweep", fuel: SWEEP_FUEL });
    say("sweep", swept);
    say("done", { ms: performance.now() - started });
    if (await isOld()) return;
    say("lanes", ask({ do: "lanes", width: width || compiled.width || 32, fuel: SWEEP_FUEL }));
    if (wants.includes("emit")) say("emit", ask({ do: "emit" }));
    if (swept.findings && swept.findings.length > 0) {
        if (await isOld()) return;
        say("mend", ask({ do: "mend", fuel: SWEEP_FUEL }));
    }
    say("rest", null);
}

async function start(message) {
    newest = message.id;
    // Messages that came together: only the last one counts.
    await breathe();
    if (message.id !== newest) return;
    try {
        await work(message);
    } catch (error) {
        engine = new Engine(module);
        postMessage({ id: message.id, what: "bug", answer: { message: error.message } });
    }
}

onmessage = ({ data }) => {
    if (data.module) {
        module = data.module;
        engine = new Engine(module);
        postMessage({ what: "ready" });
    } else {
        start(data);
    }
};
