// The page in a browser, opened from a folder and without a network: what a visitor sees and does.
//
//   node page.mjs BROWSER SITE SCREENSHOTS
//
// It speaks the browser's own protocol over two pipes, so that nothing has to be installed but the browser. An error on
// the console, or a request that leaves the machine, is a failure.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [, , program, site, screenshots] = process.argv;
const profile = mkdtempSync(join(tmpdir(), "wavelane-page-"));
mkdirSync(screenshots, { recursive: true });

const browser = spawn(program, [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND",
    `--user-data-dir=${profile}`, "--remote-debugging-pipe", "about:blank",
], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });

// ------------------------------------------------------------------------------------------------ the protocol

const waiting = new Map();
const errors = [];
let numbers = 0;
let rest = "";
browser.stdio[4].setEncoding("utf8").on("data", data => {
    const messages = (rest + data).split("\0");
    rest = messages.pop();
    for (const message of messages.map(it => JSON.parse(it))) {
        const { id, method, params, result, error } = message;
        if (id) {
            const { resume, refuse } = waiting.get(id);
            waiting.delete(id);
            if (error) refuse(new Error(error.message)); else resume(result);
        } else if (method === "Runtime.exceptionThrown") {
            errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
        } else if (method === "Runtime.consoleAPICalled" && params.type === "error") {
            errors.push(params.args.map(it => it.value ?? it.description).join(" "));
        } else if (method === "Log.entryAdded" && params.entry.level === "error") {
            errors.push(params.entry.text);
        } else if (method === "Network.requestWillBeSent" && !/^(file|data|blob|about):/.test(params.request.url)) {
            errors.push(`a request leaves the page: ${params.request.url}`);
        }
    }
});

function send(method, params = {}, sessionId = undefined) {
    const id = ++numbers;
    browser.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    return new Promise((resume, refuse) => waiting.set(id, { resume, refuse }));
}

async function open(path, size = [1280, 800]) {
    const { targetId } = await send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
    const tell = (method, params) => send(method, params, sessionId);
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await tell(domain + ".enable");
    await tell("Network.emulateNetworkConditions", { offline: true, latency: 0, downloadThroughput: 0, uploadThroughput: 0 });
    await tell("Emulation.setDeviceMetricsOverride", { width: size[0], height: size[1], deviceScaleFactor: 1, mobile: false });
    const page = {
        tell,
        async run(expression) {
            const { result, exceptionDetails } = await tell("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
            if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
            return result.value;
        },
        /** Waits until an expression is true. */
        async until(expression, what = expression) {
            for (let round = 0; round < 600; round++) {
                // While a page is being opened there is nothing to ask.
                if (await page.run(expression).catch(() => false)) return;
                await new Promise(resume => setTimeout(resume, 50));
            }
            await page.shot("failed");
            throw new Error(`never: ${what}; the status is: ${await page.run("document.getElementById('status')?.textContent")}; ${errors.join("; ")}`);
        },
        /** Does something, and waits for the results of the new text. */
        async after(action, times = 1) {
            const before = Number(await page.run("document.documentElement.dataset.answers ?? 0"));
            await action();
            await page.until(`Number(document.documentElement.dataset.answers ?? 0) >= ${before + times}`, "results of a new text");
        },
        type: text => tell("Input.insertText", { text }),
        async key(key, modifiers = 0) {
            await tell("Input.dispatchKeyEvent", { type: "keyDown", key, code: key, windowsVirtualKeyCode: { ArrowRight: 39, Tab: 9 }[key] ?? 0, modifiers });
            await tell("Input.dispatchKeyEvent", { type: "keyUp", key, code: key });
        },
        async shot(name) {
            const { data } = await tell("Page.captureScreenshot", { format: "png" });
            writeFileSync(join(screenshots, name + ".png"), Buffer.from(data, "base64"));
        },
        close: () => send("Target.closeTarget", { targetId }),
    };
    await tell("Page.navigate", { url: pathToFileURL(join(site, path.split(/[?#]/)[0])).href + path.slice(path.split(/[?#]/)[0].length) });
    return page;
}

const ready = page => page.until("'ready' in document.documentElement.dataset && Number(document.documentElement.dataset.answers) > 0", "the page is ready");
const row = label => `[...[...document.querySelectorAll('#table tbody tr')].find(it => it.cells[0].textContent === ${JSON.stringify(label)})?.cells ?? []].slice(1, 7).map(it => it.textContent).join(' ')`;
const setText = text => `(() => { const it = document.querySelector('.cm-content'); it.value = ${JSON.stringify(text)}; it.dispatchEvent(new Event('input')); })()`;

// ------------------------------------------------------------------------------------------------ what a visitor does

const RACE = "groupshared uint tile[64];\nRWStructuredBuffer<uint> Out;\n[numthreads(64, 1, 1)]\nvoid main(uint t : SV_GroupIndex) {\n    tile[t] = t;\n    Out[t] = tile[t ^ 32];\n}\n";

const visits = {
    async "the first visit shows an example with findings"() {
        const page = await open("index.html");
        await ready(page);
        assert.equal(await page.run("[...document.querySelectorAll('#table thead th')].map(it => it.textContent).join(' ')"), "4 8 16 32 64 128");
        assert.match(await page.run("document.getElementById('text').value"), /largest item of each group/);
        assert.match(await page.run(row("race")), /x/);
        assert.ok(await page.run("document.querySelectorAll('#colours .wave').length") >= 2, "wave functions have a colour");
        assert.ok(await page.run("document.querySelectorAll('#colours .under').length") >= 1, "findings are underlined");
        await page.until("document.querySelectorAll('#findings .report').length > 0", "the findings are listed");
        await page.shot("first");
        await page.close();
    },

    async "typing gives new results, and a fix can be applied"() {
        const page = await open("index.html#e=race");
        await ready(page);
        assert.equal(await page.run(row("race")), "x x x x . .");
        await page.until("document.querySelector('.apply')", "a fix");
        await page.shot("race");
        await page.after(() => page.run("document.querySelector('.apply').click()"));
        assert.match(await page.run("document.getElementById('text').value"), /GroupMemoryBarrierWithGroupSync\(\);\n    Out\[t\]/);
        assert.equal(await page.run(row("race")), "");
        assert.equal(await page.run(row("Out[0..64]")), "= = = = = =");
        // The browser's own undo takes the fix back.
        await page.after(() => page.run("document.getElementById('text').focus(); document.execCommand('undo')"));
        assert.equal(await page.run(row("race")), "x x x x . .");
        await page.after(() => page.run(setText("RWStructuredBuffer<uint> Out;\n[numthreads(8, 1, 1)] void main(uint t : SV_GroupIndex) { Out[t] = WaveGetLaneCount(); }")));
        assert.equal(await page.run(row("Out[0..64]")).then(it => it.split(" ").filter(it => it === "≠").length), 5);
        await page.run("document.querySelector('[data-tab=results]').click()");
        await page.shot("results");
        // Keys that a person presses.
        await page.run("document.getElementById('text').focus(); document.getElementById('text').setSelectionRange(0, 0)");
        await page.after(() => page.type("// ä 😀\n"));
        assert.equal(await page.run("document.querySelector('#colours .comment').textContent"), "// ä 😀");
        await page.close();
    },

    async "an error is shown where it is, with its fix"() {
        const page = await open("index.html#e=compact");
        await ready(page);
        await page.after(() => page.run(setText("RWStructuredBuffer<uint> Out;\n[numthreads(8, 1, 1)] void main(uint t : SV_GroupIndex) { Out[t] = WaveActivMax(1); }")));
        assert.equal(await page.run("document.querySelector('#colours .under').textContent"), "WaveActivMax");
        await page.after(() => page.run("document.querySelector('.apply').click()"));
        assert.match(await page.run("document.getElementById('text').value"), /WaveActiveMax\(1\)/);
        assert.equal(await page.run("document.querySelectorAll('#findings .error').length"), 0);
        await page.close();
    },

    async "endless loops end, and the next key is answered"() {
        const page = await open("index.html#e=compact");
        await ready(page);
        await page.run(setText("RWStructuredBuffer<uint> Out;\n[numthreads(64, 1, 1)] void main() { uint i = 0; while (Out[0] < 5) { i++; Out[1] = i; } }"));
        await new Promise(resume => setTimeout(resume, 100));
        await page.after(() => page.run(setText("RWStructuredBuffer<uint> Out;\n[numthreads(4, 1, 1)] void main(uint t : SV_GroupIndex) { Out[t] = t; }")));
        assert.equal(await page.run(row("Out[0..4]")), "= = = = = =");
        await page.close();
    },

    async "a link holds the program"() {
        const page = await open("index.html");
        await ready(page);
        await page.after(() => page.run(setText(RACE + "// ä 😀 <script>")));
        await page.run("document.getElementById('share').click()");
        await page.until("location.hash.startsWith('#c=')", "a link");
        const hash = await page.run("location.hash");
        assert.match(hash, /^#c=[A-Za-z0-9_-]+$/);
        await page.close();
        const other = await open("index.html?embed" + hash);
        await ready(other);
        assert.equal(await other.run("document.getElementById('text').value"), RACE + "// ä 😀 <script>");
        assert.equal(await other.run("getComputedStyle(document.getElementById('share')).display"), "none");
        await other.shot("embed");
        await other.close();
        for (const bad of ["#c=", "#c=AAAA", "#c=%%%", "#e=nothing", "#x"]) {
            const page = await open("index.html" + bad);
            await ready(page);
            assert.match(await page.run("document.getElementById('text').value"), /largest item/, bad);
            await page.close();
        }
    },

    async "lanes are shown by step, and keys move the cursor"() {
        const page = await open("index.html#e=waterfall");
        await ready(page);
        await page.run("document.querySelector('[data-tab=lanes]').click()");
        await page.until("document.querySelector('#lanes canvas')", "a band of lanes");
        await page.run("document.querySelector('#lanes canvas').focus()");
        const first = await page.run("document.getElementById('here').textContent");
        assert.match(first, /step 1 of \d+ · line \d+ · active 0x0*ff · 8 of 32/);
        for (let at = 0; at < 6; at++) await page.key("ArrowRight");
        assert.match(await page.run("document.getElementById('here').textContent"), /step 7 of/);
        assert.ok(await page.run("document.querySelector('#gutter .here')"), "the line is marked");
        await page.shot("lanes");
        await page.after(() => page.run("[...document.querySelectorAll('#widths button')].find(it => it.textContent === '4').click()"));
        await page.until("document.querySelectorAll('#lanes canvas').length === 2", "two waves of four lanes");
        await page.run("document.querySelector('[data-tab=ir]').click()");
        await page.until("document.querySelector('#ir pre').textContent.includes('wave.')", "the IR");
        await page.close();
    },

    async "words that make no sense are explained"() {
        const page = await open("index.html#e=compact");
        await ready(page);
        await page.run("(() => { const it = document.getElementById('flags'); it.value = '--bind Item=u32[4]'; it.dispatchEvent(new Event('input')); })()");
        await page.until("!document.getElementById('problem').hidden", "a message");
        assert.match(await page.run("document.getElementById('problem').textContent"), /no buffer Item[^]*did you mean Items/);
        await page.close();
    },

    async "a narrow window has everything"() {
        const page = await open("index.html", [400, 900]);
        await ready(page);
        assert.ok(await page.run("document.documentElement.scrollWidth <= 400"), "nothing stands out to the side");
        await page.shot("narrow");
        await page.close();
    },

    async "documents link to programs that run"() {
        const page = await open("docs/sanitizer/race.html");
        await page.until("document.querySelector('.run a')", "a link");
        await page.shot("document");
        const href = await page.run("document.querySelector('.run a').getAttribute('href')");
        await page.close();
        const other = await open(href.replaceAll("../", ""));
        await ready(other);
        assert.equal(await other.run(row("race")), "x x x x . .");
        await other.close();
        const guide = await open("docs/index.html");
        await guide.until("document.querySelector('h1')", "the guide");
        assert.ok(await guide.run("[...document.images].every(it => it.complete && it.naturalWidth > 0)"), "its pictures are there");
        await guide.shot("guide");
        await guide.close();
    },
};

let failed = 0;
try {
    for (const [name, visit] of Object.entries(visits)) {
        errors.length = 0;
        try {
            await visit();
            assert.deepEqual(errors, []);
            console.log(`browser: ${name}`);
        } catch (error) {
            failed++;
            console.log(`browser: FAILED: ${name}: ${error.stack}`);
        }
    }
} finally {
    const ended = new Promise(resume => browser.on("exit", resume));
    const pause = time => new Promise(resume => setTimeout(resume, time));
    send("Browser.close").catch(() => {});
    await Promise.race([ended, pause(5000)]);
    browser.kill();
    // Processes of the browser may write a moment longer.
    for (let round = 0; round < 30; round++) {
        try {
            rmSync(profile, { recursive: true, force: true });
            break;
        } catch {
            await pause(100);
        }
    }
}
process.exit(failed ? 1 : 0);
