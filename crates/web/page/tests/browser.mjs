// Opens pages in a browser, from a folder and without a network, and does there what a visitor does.
//
// It speaks the browser's own protocol over two pipes, so that nothing has to be installed but the browser. An error on
// the console, or a request that leaves the machine, is a failure.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// `node SCRIPT BROWSER SITE SCREENSHOTS`
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

export async function open(path, size = [1280, 800]) {
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

/** Makes all visits, tells of each, and ends the process. */
export async function visit(visits) {
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
}
