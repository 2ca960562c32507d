#!/usr/bin/env node
// `wavelane check FILE…`, `wavelane run FILE [FLAGS]` and `wavelane san FILE [FLAGS]` without a native program.
// Exit status: 0 fine, 1 findings, 2 a mistake in what was given.
import { readFileSync } from "node:fs";
import { Engine } from "./index.js";

const USAGE = "usage: wavelane check FILE… | run FILE [FLAGS] | san FILE [FLAGS]\n" +
    "FLAGS are those of the native command that the playground knows, such as --wave-size, --groups and --bind";

function fail(message) {
    console.error(message);
    process.exit(2);
}

function read(file) {
    try {
        return readFileSync(file, "utf8");
    } catch (error) {
        return fail(`error: ${file}: ${error.message}`);
    }
}

/** One diagnostic, as the native command heads it. */
function told(file, it) {
    const { line, column } = it.location ?? {};
    const place = line ? `${file}:${line}:${column}: ` : `${file}: `;
    const more = [...it.notes.map(note => `  = note: ${note}`), ...it.helps.map(({ text }) => `  = help: ${text}`)];
    return [`${place}${it.level}: ${it.message} [${it.code}]`, ...more].join("\n");
}

/** Compiles a file; whether it has no errors. */
function compiles(engine, file, text, flags) {
    const { diagnostics } = engine.compile(text, flags);
    diagnostics.forEach(it => console.error(told(file, it)));
    return !diagnostics.some(it => it.level === "error" || it.level === "unsupported");
}

/** The words of a command line as one text, whose quotes keep them apart. */
function quoted(words) {
    return words.map(it => (/[\s'"]/.test(it) ? `'${it}'` : it)).join(" ");
}

const [command, ...words] = process.argv.slice(2);
const engine = new Engine();
try {
    if (command === "check" && words.length > 0) {
        const wrong = words.filter(file => !compiles(engine, file, read(file), ""));
        process.exitCode = wrong.length > 0 ? 2 : 0;
    } else if ((command === "run" || command === "san") && words.length > 0) {
        const [file, ...rest] = words;
        const text = read(file);
        // Without flags those of the comment in the text apply.
        const flags = rest.length > 0 ? quoted(rest) : undefined;
        if (!compiles(engine, file, text, flags)) {
            process.exitCode = 2;
        } else if (command === "run") {
            console.log(JSON.stringify(engine.run(text, flags), null, 1));
        } else {
            const { findings } = engine.sweep(text, flags);
            findings.forEach(it => console.log(`${told(file, it)}\n  = note: with waves of ${it.widths.join(", ")} lanes`));
            process.exitCode = findings.length > 0 ? 1 : 0;
        }
    } else {
        fail(USAGE);
    }
} catch (error) {
    fail(`error: ${error.message}`);
}
