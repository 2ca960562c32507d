// The page: draws what the engine answers, and decides nothing about programs.
//
// The editor is a textarea over a coloured copy of its text: no library, so that the page needs nothing to be built but text,
// and everything a textarea can do (undo, screen readers, input methods) works.
"use strict";

const WIDTHS = [4, 8, 16, 32, 64, 128];
const TABS = [["findings", "Findings"], ["results", "Results"], ["lanes", "Lanes"], ["ir", "IR"]];
// A worker that is in one slice for so long after a newer text is ended, in milliseconds.
const PATIENCE = 150;

const $ = id => document.getElementById(id);
const root = document.documentElement;
const gallery = JSON.parse($("gallery").textContent);
const editor = $("text");

const state = { text: "", flags: null, width: 0, tab: "findings" };
let answers = {};
let pieces = [];
let piecesOf = "";

// ------------------------------------------------------------------------------------------------ small things

/** An element with attributes, listeners (`on…`) and children. */
function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
        else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
    }
    element.append(...children.filter(it => it !== null && it !== undefined));
    return element;
}

/** Words with `code` in backticks. */
function words(text) {
    return text.split("`").map((part, index) => index % 2 ? make("code", {}, part) : part);
}

function lineOf(offset) {
    let line = 1;
    for (let at = state.text.indexOf("\n"); at >= 0 && at < offset; at = state.text.indexOf("\n", at + 1)) line++;
    return line;
}

async function through(stream, bytes) {
    const response = new Response(new Blob([bytes]).stream().pipeThrough(stream));
    return new Uint8Array(await response.arrayBuffer());
}

function toBase64(bytes) {
    let text = "";
    for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    return btoa(text);
}

function fromBase64(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    return Uint8Array.from(atob(text), it => it.charCodeAt(0));
}

// ------------------------------------------------------------------------------------------------ links

/** What is behind `#`: `e=NAME` is an example, `c=…` a text, deflated and as base64url. */
async function read(hash) {
    const [key, value] = [hash.slice(1, 2), hash.slice(3)];
    if (key === "e") {
        const example = gallery.find(it => it.name === value);
        if (example) return { text: example.text, flags: example.flags, example };
    } else if (key === "c") {
        const packed = fromBase64(value.replaceAll("-", "+").replaceAll("_", "/"));
        const bytes = await through(new DecompressionStream("deflate-raw"), packed);
        const { t, f = null, w = 0 } = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
        if (typeof t === "string") return { text: t, flags: typeof f === "string" ? f : null, width: WIDTHS.includes(w) ? w : 0 };
    }
    throw new Error("the address holds no program");
}

async function link() {
    const example = gallery.find(it => it.text === state.text && (it.flags ?? null) === state.flags);
    if (example && !state.width) return "#e=" + example.name;
    const { text: t, flags: f, width: w } = state;
    const json = JSON.stringify({ t, ...(f === null ? {} : { f }), ...(w ? { w } : {}) });
    const packed = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(json));
    return "#c=" + toBase64(packed).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function open(hash) {
    let found;
    try { found = await read(hash); } catch { found = { text: gallery[0].text, flags: gallery[0].flags, example: gallery[0] }; }
    state.text = found.text;
    state.flags = found.flags ?? null;
    state.width = found.width ?? 0;
    editor.value = state.text;
    $("examples").value = found.example?.name ?? "";
    changed();
}

async function share() {
    const hash = await link();
    history.replaceState(null, "", hash);
    let told = "the link is in the address bar";
    try { await navigator.clipboard.writeText(location.href); told = "the link is copied"; } catch { /* Not everywhere allowed. */ }
    $("status").textContent = told;
}

// ------------------------------------------------------------------------------------------------ the engine

let compiledModule = null;
let worker = null;
let workerIsReady = false;
let asked = 0;
let heard = 0;
let patience = 0;
// Whether the worker has nothing to do. One that is busy with an older text may be in a long slice.
let idle = true;

function hire() {
    const url = URL.createObjectURL(new Blob([$("worker").textContent], { type: "text/javascript" }));
    worker = new Worker(url);
    URL.revokeObjectURL(url);
    workerIsReady = false;
    idle = true;
    worker.onmessage = ({ data }) => {
        if (data.what === "ready") {
            workerIsReady = true;
            root.dataset.ready = "";
            send();
        } else if (data.id === asked) {
            heard = data.id;
            idle = data.what === "rest" || data.what === "bug";
            take(data.what, data.answer);
        }
    };
    worker.onerror = event => { $("status").textContent = `the engine cannot run: ${event.message}`; };
    worker.postMessage({ module: compiledModule });
}

/** Asks about the text as it is now; what was asked before is forgotten. */
function send() {
    if (!workerIsReady) return;
    const id = ++asked;
    answers = {};
    worker.postMessage({ id, text: state.text, flags: state.flags, width: state.width, wants: state.tab === "ir" ? ["emit"] : [] });
    clearTimeout(patience);
    if (!idle) {
        patience = setTimeout(() => {
            if (heard >= id || asked !== id) return;
            worker.terminate();
            hire();
        }, PATIENCE);
    }
    idle = false;
}

function take(what, answer) {
    answers[what] = answer;
    switch (what) {
    case "tokens":
        pieces = answer.pieces;
        piecesOf = state.text;
        colour();
        break;
    case "compile":
        colour();
        drawInputs();
        drawFindings();
        if (!answer.runs) { drawTable(); drawResults(); drawLanes(); drawIr(); }
        break;
    case "run": drawTable(); drawResults(); break;
    case "sweep": drawTable(); colour(); drawFindings(); break;
    case "done":
        root.dataset.answers = Number(root.dataset.answers ?? 0) + 1;
        root.dataset.ms = answer.ms.toFixed(1);
        drawStatus();
        break;
    case "lanes": drawLanes(); break;
    case "emit": drawIr(); break;
    case "mend": drawFindings(); break;
    case "bug":
        $("status").textContent = `a bug in wavelane, not in your program: ${answer.message}`;
        break;
    }
}

// ------------------------------------------------------------------------------------------------ the editor

/** The colours of the last answer, moved to where they are after an edit, until the next one comes. */
function moved() {
    if (piecesOf === state.text) return pieces;
    const [old, now] = [piecesOf, state.text];
    const least = Math.min(old.length, now.length);
    let before = 0;
    while (before < least && old[before] === now[before]) before++;
    let after = 0;
    while (after < least - before && old[old.length - 1 - after] === now[now.length - 1 - after]) after++;
    const result = [];
    for (let at = 0; at < pieces.length; at += 3) {
        const [start, length, name] = pieces.slice(at, at + 3);
        if (start + length <= before) result.push(start, length, name);
        else if (start >= old.length - after) result.push(start + now.length - old.length, length, name);
    }
    return result;
}

/** The ranges to underline, with their classes. */
function marks() {
    const ranges = [];
    const add = (range, name) => {
        if (range) ranges.push([range[0], Math.max(range[1], range[0] + 1), name]);
    };
    for (const report of reports()) {
        add(report.range, report.level === "error" || report.level === "unsupported" ? "under" : "under soft");
        for (const other of report.related) add(other.range, "under other soft");
    }
    return ranges;
}

function colour() {
    const text = state.text;
    const coloured = moved();
    const under = marks();
    const cuts = new Set([0, text.length]);
    for (let at = 0; at < coloured.length; at += 3) cuts.add(coloured[at]).add(coloured[at] + coloured[at + 1]);
    for (const [from, to] of under) cuts.add(Math.min(from, text.length)).add(Math.min(to, text.length));
    const places = [...cuts].sort((a, b) => a - b);
    const nodes = [];
    let piece = 0;
    for (let index = 0; index + 1 < places.length; index++) {
        const [from, to] = [places[index], places[index + 1]];
        while (piece < coloured.length && coloured[piece] + coloured[piece + 1] <= from) piece += 3;
        const names = [];
        if (piece < coloured.length && coloured[piece] <= from) names.push(coloured[piece + 2]);
        for (const [start, end, name] of under) if (start <= from && to <= end) { names.push(name); break; }
        const part = text.slice(from, to);
        nodes.push(names.length ? make("span", { class: names.join(" ") }, part) : part);
    }
    $("colours").replaceChildren(...nodes, "\n");
    drawGutter();
}

function drawGutter() {
    const lines = state.text.split("\n").length;
    const bad = new Map();
    for (const report of reports()) {
        if (!report.range) continue;
        const line = lineOf(report.range[0]);
        const name = report.level === "error" || report.level === "unsupported" ? "bad" : "warn";
        if (bad.get(line) !== "bad") bad.set(line, name);
    }
    const profile = new Map((answers.lanes?.lines ?? []).map(it => [it.line, it]));
    const rows = [];
    for (let line = 1; line <= lines; line++) {
        const lanes = state.tab === "lanes" ? profile.get(line) : null;
        const label = (lanes ? `${lanes.average} × ${lanes.times}  ` : "") + line;
        const names = [bad.get(line), line === cursor.line ? "here" : null].filter(Boolean);
        rows.push(make("div", { class: names.join(" ") || null }, label));
    }
    $("gutter").replaceChildren(...rows);
}

function changed() {
    colour();
    drawInputs();
    send();
}

/** Replaces a range so that the browser's undo knows of it. */
function edit([from, to], replacement) {
    editor.focus();
    editor.setSelectionRange(from, to);
    if (!document.execCommand("insertText", false, replacement)) {
        editor.setRangeText(replacement, from, to, "end");
        editor.dispatchEvent(new Event("input"));
    }
}

function goTo(range) {
    editor.focus();
    editor.setSelectionRange(range[0], range[1]);
    const height = parseFloat(getComputedStyle(editor).lineHeight);
    $("left").scrollTop = Math.max(0, (lineOf(range[0]) - 6) * height);
}

// ------------------------------------------------------------------------------------------------ the panels

/** Everything that is said about the program, the compiler's reports first. */
function reports() {
    return [...(answers.compile?.diagnostics ?? []), ...(answers.sweep?.findings ?? [])];
}

function drawInputs() {
    const given = state.flags !== null;
    if (document.activeElement !== $("flags")) $("flags").value = given ? state.flags : answers.compile?.flags ?? $("flags").value;
    $("own").hidden = !given;
    const problem = answers.compile?.problem ?? answers.compile?.error;
    $("problem").hidden = !problem;
    if (problem) $("problem").replaceChildren(...words(problem.message), ...(problem.help ? ["\nhelp: ", ...words(problem.help)] : []));
    const width = shownWidth();
    $("widths").replaceChildren(...WIDTHS.map(it => make("button", {
        type: "button", role: "radio", "aria-checked": String(it === width),
        onclick: () => { state.width = it; drawInputs(); drawTable(); send(); },
    }, String(it))));
}

function shownWidth() {
    return state.width || answers.compile?.width || 32;
}

function drawStatus() {
    const findings = answers.sweep?.findings?.length ?? 0;
    const errors = reports().filter(it => it.level === "error" || it.level === "unsupported").length - findings;
    const parts = [];
    if (errors > 0) parts.push(`${errors} error${errors > 1 ? "s" : ""}`);
    if (answers.sweep) parts.push(findings ? `● ${findings} finding${findings > 1 ? "s" : ""}` : "no findings");
    parts.push(`${Number(root.dataset.ms).toFixed(0)} ms`);
    $("status").textContent = parts.join(" · ");
}

function drawTable() {
    const chosen = shownWidth();
    const head = make("tr", {}, make("td"), ...WIDTHS.map(it => make("th", { scope: "col", class: it === chosen ? "chosen" : null }, String(it))));
    $("table").tHead.replaceChildren(head);
    const rows = [];
    for (const { code, marks } of answers.sweep?.rows ?? []) {
        rows.push(make("tr", {}, make("th", { scope: "row" }, code), ...marks.map(it => make("td", { class: it === "x" ? "x" : "no" }, it ?? ""))));
    }
    const ended = answers.run?.widths ?? [];
    if (ended.some(it => it.ended && it.ended.word !== "done")) {
        const short = { done: "", fuel: "…", trap: "stops", unsupported: "–" };
        rows.push(make("tr", {}, make("th", { scope: "row" }, "run"), ...ended.map(({ ended: it }) =>
            make("td", { class: it?.word === "trap" ? "x" : "no", title: it?.message ? `${it.message}${it.line ? `, line ${it.line}` : ""}` : null }, it ? short[it.word] : ""))));
    }
    for (const buffer of answers.run?.buffers ?? []) {
        rows.push(make("tr", {}, make("th", { scope: "row" }, buffer.label),
            ...buffer.marks.map(it => make("td", { class: it === "≠" ? "ne" : "eq" }, it ?? "")),
            buffer.first ? make("td", { class: "first" }, `first: ${buffer.first}`) : null));
    }
    $("table").tBodies[0].replaceChildren(...rows);
}

function drawFindings() {
    const fixes = new Map();
    for (const fix of answers.mend?.fixes ?? []) fixes.set(fix.finding, fix);
    const first = answers.compile?.diagnostics?.length ?? 0;
    const cards = reports().map((report, index) => card(report, fixes.get(index - first)));
    for (const out of answers.sweep?.left_out ?? []) {
        cards.push(make("p", { class: "faint" }, ...words(`not compared: ${out.text}: \`${out.code}\`${out.line ? ` at line ${out.line}` : ""} reaches this`)));
    }
    const stopped = answers.sweep?.stopped ?? null;
    if (stopped) cards.push(make("p", { class: "faint" }, `the sweep was given up with waves of ${stopped.width} lanes: ${stopped.message}${stopped.line ? `, line ${stopped.line}` : ""}`));
    if (cards.length === 0 && answers.sweep) cards.push(make("p", { class: "faint" }, `no findings in ${answers.sweep.runs} runs`));
    $("findings").replaceChildren(...cards);
}

/** A report with its places, and buttons for its fixes. */
function card(report, mend) {
    const at = (range, label) => range
        ? make("button", { type: "button", class: "at", onclick: () => goTo(range) }, label)
        : label;
    const line = report.range ? `line ${lineOf(report.range[0])}` : "";
    const lines = [make("p", {}, at(report.range, line), " ", make("strong", {}, `${report.level}: `), ...words(report.message), " ", make("span", { class: "faint" }, `[${report.code}]`))];
    if (report.label) lines.push(make("p", { class: "place" }, ...words(report.label)));
    for (const other of report.related) {
        lines.push(make("p", { class: "place" }, at(other.range, other.range ? `line ${lineOf(other.range[0])}` : ""), " ", ...words(other.text)));
    }
    if (report.widths) lines.push(make("p", { class: "place" }, `seen with waves of ${report.widths.join(", ")} lanes${report.order ? `, ${report.order}` : ""}`));
    for (const calls of report.stacks) lines.push(stack(calls, report, at));
    for (const note of report.notes) lines.push(make("p", { class: "place" }, "note: ", ...words(note)));
    for (const { text, fix } of report.helps) {
        const apply = fix?.range ? make("button", { type: "button", class: "apply", onclick: () => edit(fix.range, fix.replacement) }, "apply") : null;
        lines.push(make("p", {}, "help: ", ...words(text), " ", apply));
    }
    if (mend) {
        lines.push(make("p", {}, `fix: ${mend.text} (tried: the finding is gone) `,
            make("button", { type: "button", class: "apply", onclick: () => edit(mend.range, mend.replacement) }, "apply")));
    }
    return make("div", { class: `report ${report.level}` }, ...lines);
}

/** The function that a location is in and its callers, the innermost first, each with the line that it stands at. */
function stack({ of, frames }, report, at) {
    const [first, ...callers] = frames;
    const name = it => make("code", {}, it.function);
    // Lines of another text are named with it: there is nothing to go to.
    const line = it => it.range ? at(it.range, `line ${lineOf(it.range[0])}`) : it.location ? `${it.location.file}:${it.location.line}` : "an unknown line";
    const isElsewhere = !of && first.range && String(first.range) !== String(report.range);
    const subject = of ? [`${of} is `] : isElsewhere ? [line(first), " is "] : [];
    const callersText = callers.flatMap(it => [", called at ", line(it), " by ", name(it)]);
    return make("p", { class: "place stack" }, ...subject, "in ", name(first), ...callersText);
}

function drawResults() {
    const parts = [];
    for (const { width, ended } of answers.run?.widths ?? []) {
        if (ended && ended.word !== "done") parts.push(make("p", {}, `waves of ${width} lanes: ${ended.message}${ended.line ? `, line ${ended.line}` : ""}`));
    }
    for (const buffer of answers.run?.buffers ?? []) parts.push(values(buffer));
    for (const { width, lines, more, failures, more_failures: moreFailures } of answers.run?.printed ?? []) {
        const line = it => `line ${it.line ?? "?"}, group ${it.group.join(",")}, wave ${it.wave}, lane ${it.lane}: ${it.text}`;
        parts.push(make("details", {}, make("summary", {}, `printed with waves of ${width} lanes`), make("pre", {},
            [...failures.map(it => `failed: ${line(it)}`), ...(moreFailures ? [`and ${moreFailures} more failures`] : []), ...lines.map(line), ...(more ? [`and ${more} more lines`] : [])].join("\n"))));
    }
    if (parts.length === 0) parts.push(make("p", { class: "faint" }, answers.run ? "the program writes no buffer" : "nothing has run"));
    $("results").replaceChildren(...parts);
}

/** A buffer: a row for each element, a column for each width, or one column where all agree. */
function values(buffer) {
    const has = WIDTHS.map((_, index) => index).filter(it => buffer.values[it]);
    const same = has.every(it => buffer.marks[it] === "=");
    const columns = same ? has.slice(0, 1) : has;
    const title = `${buffer.label} of ${buffer.element}${same && has.length > 1 ? ", the same at every width" : ""}`;
    const head = make("tr", {}, make("td"), ...columns.map(it => make("th", { scope: "col" }, same ? "value" : String(WIDTHS[it]))));
    const shown = buffer.values[has[0]]?.length ?? 0;
    const rows = [];
    for (let at = 0; at < shown; at += buffer.each) {
        const cell = column => buffer.values[column].slice(at, at + buffer.each).join(", ");
        const texts = columns.map(cell);
        const usual = has.filter(it => buffer.marks[it] === "=").map(cell)[0];
        rows.push(make("tr", {}, make("th", { scope: "row" }, `[${at / buffer.each}]`), ...texts.map(it => make("td", { class: it === usual ? null : "diff" }, it))));
    }
    const rest = buffer.count - shown;
    return make("details", { open: "" }, make("summary", {}, title),
        make("div", { class: "scroll" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows))),
        rest > 0 ? make("p", { class: "faint" }, `and ${rest} more values, which are compared but not listed`) : null);
}

function drawIr() {
    const { emit, compile } = answers;
    $("ir").firstElementChild.textContent = emit?.ir ?? (compile && !compile.runs ? "the program has errors" : "");
}

// ------------------------------------------------------------------------------------------------ lanes

const cursor = { wave: 0, step: -1, line: 0 };
const MOST_WAVES = 16;

function drawLanes() {
    const lanes = answers.lanes;
    cursor.line = 0;
    if (!lanes?.waves) return $("lanes").replaceChildren(make("p", { class: "faint" }, "nothing has run"));
    const rows = [make("p", { class: "faint" }, `Waves of ${lanes.width} lanes. Each column is a step, each row a lane; a filled cell is active. Point, or use the arrow keys; the margin shows lanes × times for each line.`), make("p", { id: "here", "aria-live": "polite" })];
    lanes.waves.slice(0, MOST_WAVES).forEach((wave, index) => rows.push(waveRow(wave, index, lanes.width)));
    const hidden = Math.max(0, lanes.waves.length - MOST_WAVES) + lanes.more_waves;
    if (hidden) rows.push(make("p", { class: "faint" }, `and ${hidden} more waves, which the margin counts but no row shows`));
    $("lanes").replaceChildren(...rows);
    drawGutter();
}

function waveRow(wave, index, width) {
    const rowHeight = width > 32 ? 2 : width > 8 ? 4 : 8;
    const columns = Math.max(wave.steps.length, 1);
    const columnWidth = Math.max(1, Math.min(12, Math.floor(700 / columns)));
    const canvas = make("canvas", {
        width: columns * columnWidth, height: width * rowHeight, tabindex: "0", role: "slider",
        "aria-label": `wave ${wave.wave} of group ${wave.group.join(", ")}`, "aria-valuemin": "0", "aria-valuemax": String(wave.steps.length - 1), "aria-valuenow": "0",
    });
    const draw = () => {
        const context = canvas.getContext("2d");
        const style = getComputedStyle(document.body);
        context.clearRect(0, 0, canvas.width, canvas.height);
        wave.steps.forEach(([, mask], step) => {
            const active = BigInt("0x" + mask);
            context.fillStyle = style.getPropertyValue(index === cursor.wave && step === cursor.step ? "--bad" : "--accent");
            for (let lane = 0; lane < width; lane++) {
                if (active >> BigInt(lane) & 1n) context.fillRect(step * columnWidth, lane * rowHeight, columnWidth - (columnWidth > 3 ? 1 : 0), rowHeight - (rowHeight > 2 ? 1 : 0));
            }
        });
        // Lanes that never exist: the group has no threads for them.
        context.fillStyle = style.getPropertyValue("--line");
        const exist = BigInt("0x" + wave.lanes);
        for (let lane = 0; lane < width; lane++) if (!(exist >> BigInt(lane) & 1n)) context.fillRect(0, lane * rowHeight + rowHeight / 2, canvas.width, 1);
    };
    const show = step => {
        if (step < 0 || step >= wave.steps.length) return;
        const [line, mask] = wave.steps[step];
        const before = [cursor.wave, cursor.step];
        Object.assign(cursor, { wave: index, step, line });
        const lanes = [...BigInt("0x" + mask).toString(2)].filter(it => it === "1").length;
        $("here").textContent = `wave ${wave.wave} of group (${wave.group.join(", ")}) · step ${step + 1} of ${wave.steps.length} · line ${line} · active 0x${mask.padStart(width / 4, "0")} · ${lanes} of ${width}\n${state.text.split("\n")[line - 1] ?? ""}`;
        canvas.setAttribute("aria-valuenow", String(step));
        canvas.setAttribute("aria-valuetext", $("here").textContent);
        if (before[0] !== index || before[1] !== step) { draw(); drawGutter(); }
    };
    canvas.addEventListener("pointermove", event => show(Math.floor(event.offsetX * canvas.width / canvas.clientWidth / columnWidth)));
    canvas.addEventListener("focus", () => show(cursor.wave === index && cursor.step >= 0 ? cursor.step : 0));
    canvas.addEventListener("keydown", event => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (by) { event.preventDefault(); show(Math.max(0, Math.min(wave.steps.length - 1, cursor.step + by))); }
    });
    draw();
    const more = wave.more ? `\n+ ${wave.more} steps` : "";
    return make("div", { class: "wave-row" }, make("span", {}, `wave ${wave.wave} · ${wave.group.join(",")}${more}`), canvas);
}

// ------------------------------------------------------------------------------------------------ start

function choose(tab) {
    state.tab = tab;
    for (const [id] of TABS) $(id).hidden = id !== tab;
    for (const button of $("tabs").children) button.setAttribute("aria-selected", String(button.dataset.tab === tab));
    drawGutter();
    if (tab === "ir" && !answers.emit) send();
}

async function start() {
    const place = new URL(location.href);
    if (place.searchParams.has("embed")) {
        document.body.classList.add("embed");
        $("open").addEventListener("click", async event => { event.currentTarget.href = location.pathname + await link(); }, true);
        $("open").href = location.pathname + location.hash;
    }
    const groups = new Map();
    for (const { name, title, group } of gallery) {
        if (!groups.has(group)) groups.set(group, make("optgroup", { label: group }));
        groups.get(group).append(make("option", { value: name }, title));
    }
    $("examples").append(make("option", { value: "", hidden: "" }, "…"), ...groups.values());
    $("examples").addEventListener("change", () => { history.replaceState(null, "", "#e=" + $("examples").value); open(location.hash); });
    $("tabs").append(...TABS.map(([id, title]) => make("button", { type: "button", role: "tab", "data-tab": id, "aria-controls": id, onclick: () => choose(id) }, title)));
    $("share").addEventListener("click", share);
    editor.addEventListener("input", () => { state.text = editor.value; $("examples").value = ""; changed(); });
    editor.addEventListener("keydown", event => {
        // Tab indents while there is a selection or after Escape has not been pressed; Escape, Tab leaves the editor.
        if (event.key === "Escape") editor.dataset.leaves = "";
        else if (event.key === "Tab" && !event.shiftKey && !("leaves" in editor.dataset)) { event.preventDefault(); edit([editor.selectionStart, editor.selectionEnd], "    "); }
        else delete editor.dataset.leaves;
    });
    $("flags").addEventListener("input", () => { state.flags = $("flags").value; changed(); });
    $("own").addEventListener("click", () => { state.flags = null; changed(); });
    addEventListener("hashchange", () => open(location.hash));
    choose("findings");
    await open(location.hash);
    const packed = fromBase64($("module").textContent);
    compiledModule = await WebAssembly.compile(await through(new DecompressionStream("gzip"), packed));
    hire();
}

start().catch(error => { $("status").textContent = `the playground cannot start: ${error.message}`; });
