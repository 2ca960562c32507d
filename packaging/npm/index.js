// wavelane in JavaScript: the compiler, the reference engine and the sanitizer in one WebAssembly module without imports.
import { readFileSync } from "node:fs";

let compiled = null;

/** The module of this package, compiled once. */
function module() {
    compiled ??= new WebAssembly.Module(readFileSync(new URL("wavelane.wasm", import.meta.url)));
    return compiled;
}

export class Engine {
    #exports = new WebAssembly.Instance(module(), {}).exports;

    /** Answers a request; throws if the request is refused. */
    ask(request) {
        const bytes = new TextEncoder().encode(JSON.stringify(request));
        const { alloc, free, call, memory } = this.#exports;
        let answer;
        try {
            const place = alloc(bytes.length) >>> 0;
            new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
            answer = JSON.parse(this.#taken(call(place, bytes.length)));
            free(place, bytes.length);
        } catch (error) {
            // A module that has trapped is in no state to go on with.
            const words = this.#words();
            this.#exports = new WebAssembly.Instance(module(), {}).exports;
            throw new Error(words || `the module stopped: ${error.message}`);
        }
        if (answer.error) {
            const { message, help } = answer.error;
            throw new Error(help ? `${message}; ${help}` : message);
        }
        return answer;
    }

    /** Compiles a text: its diagnostics, and what there is to run. */
    compile(text, flags) {
        return this.ask({ do: "compile", text, flags });
    }

    /** Runs a text at several widths, and compares the buffers. `flags` are the words of the command line. */
    run(text, flags, { widths, fuel } = {}) {
        return this.ask({ do: "run", text, flags, widths, fuel });
    }

    /** The findings of the sanitizer, at every width and in other orders. */
    sweep(text, flags, { fuel } = {}) {
        return this.ask({ do: "sweep", text, flags, fuel });
    }

    #taken(handle) {
        const { memory, free } = this.#exports;
        const [place, length] = [Number(handle >> 32n) >>> 0, Number(handle & 0xffffffffn)];
        const bytes = new Uint8Array(memory.buffer, place, length).slice();
        free(place, length);
        return new TextDecoder().decode(bytes);
    }

    #words() {
        try {
            return this.#taken(this.#exports.last_words()).trim();
        } catch {
            return "";
        }
    }
}
