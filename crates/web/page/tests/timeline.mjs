// The page of a recording in a browser: what it shows, and what its keys do.
//
//   node timeline.mjs BROWSER FOLDER SCREENSHOTS
//
// The folder has `small.html`, a wave of eight lanes in a loop, `large.html`, a run of a million lane-steps, `huge.html`,
// one of ten times as many, and `shuffles.html`, in which lanes read lanes.
import assert from "node:assert/strict";
import { open, visit } from "./browser.mjs";

const ready = page => page.until("'ready' in document.documentElement.dataset", "the first picture");
const data = (page, name) => page.run(`document.documentElement.dataset.${name}`);
const cells = row => `[...document.querySelectorAll('#grid tr')].find(it => it.cells[0].textContent.trim() === ${JSON.stringify(row)})`;

await visit({
    async "a recording is shown, and keys move the cursor"() {
        const page = await open("small.html");
        await ready(page);
        assert.equal(await data(page, "lanes"), "8");
        const steps = Number(await data(page, "steps"));
        assert.ok(steps > 10, `${steps} steps`);
        assert.equal(await data(page, "step"), "0");
        assert.equal(await page.run("document.querySelectorAll('#grid tr:first-child th').length"), 1 + 8);
        assert.match(await page.run("document.getElementById('status').textContent"), /step 0, line \d+: active 0xff, 8 of 8 lanes/);
        for (let at = 0; at < 4; at++) await page.key("ArrowRight");
        assert.equal(await data(page, "step"), "4");
        assert.equal(await page.run("location.hash"), "#wave=0&step=4");
        await page.key("ArrowLeft");
        assert.equal(await data(page, "step"), "3");
        // Where lanes part: some wait, and their cells say so without colour.
        await page.key("]");
        const mask = (await page.run("document.getElementById('status').textContent")).match(/0x[0-9a-f]+/)[0];
        assert.notEqual(mask, "0xff");
        assert.match(await page.run(`[...${cells("state")}.cells].map(it => it.getAttribute('aria-label') ?? '').join()`), /waiting, since line \d+ \(step \d+\)/);
        assert.equal(await page.run(`${cells("i")}.cells.length`), 1 + 8);
        await page.key("b");
        assert.match(await page.run(`${cells("i")}.cells[1].textContent`), /^0x/);
        await page.key("End");
        assert.equal(await data(page, "step"), String(steps - 1));
        await page.shot("timeline-small");
        await page.close();
        const other = await open("small.html#wave=0&step=5");
        await ready(other);
        assert.equal(await data(other, "step"), "5");
        await other.close();
    },

    async "bands show what lanes do, by colour and by height"() {
        const page = await open("small.html");
        await ready(page);
        // Lane 0 leaves the loop at once, and waits; all lanes begin.
        const pixel = (step, y, last) => page.run(`(() => { const it = document.getElementById('bands'); const x = 110 + (it.width - 110) * (${step} + 0.5) / ${last}; return [...it.getContext('2d').getImageData(x, ${y}, 1, 1).data].join(); })()`);
        const colour = name => page.run(`(() => { const it = document.createElement('canvas').getContext('2d'); it.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--${name}'); it.fillRect(0, 0, 1, 1); return [...it.getImageData(0, 0, 1, 1).data].join(); })()`);
        const [active, waiting, none] = [await colour("active"), await colour("waiting"), "0,0,0,0"];
        const steps = Number(await data(page, "steps"));
        const look = async last => [await pixel(1, 1, last), await pixel(1, 7, last), await pixel(10, 1, last), await pixel(10, 7, last), await pixel(10, 9, last)];
        const wanted = [active, active, waiting, none, none];
        assert.deepEqual(await look(steps), wanted);
        for (const key of ["ArrowRight", "ArrowRight"]) await page.key(key);
        assert.deepEqual(await look(steps), wanted);
        // 16 steps are the fewest that are shown.
        for (const key of ["+", "+"]) await page.key(key);
        assert.deepEqual(await look(16), wanted);
        // In the other colours.
        await page.tell("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "dark" }] });
        // The page hears of it with the next frame, and may draw with the one after that.
        await page.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
        const dark = [await colour("active"), await colour("waiting")];
        assert.notDeepEqual(dark, [active, waiting]);
        assert.deepEqual(await look(16), [dark[0], dark[0], dark[1], none, none]);
        await page.shot("timeline-dark");
        await page.close();
    },

    async "arrows lead from the lanes that shuffles read"() {
        const page = await open("shuffles.html#wave=0&step=0");
        await ready(page);
        const texts = "[...document.querySelectorAll('#grid .reads')].map(it => [...it.cells].map(it => it.textContent).join(' '))";
        const arrows = kind => `document.querySelectorAll('#grid .wires path.${kind}').length`;
        assert.deepEqual(await page.run(texts), ["WaveReadLaneAt(t, t ^ 1) reads lane 1 0 3 2 5 4 7 6"]);
        assert.deepEqual([await page.run(arrows("defined")), await page.run(arrows("undefined"))], [8, 0]);
        // An arrow ends below the column of the lane that reads, and begins below that of its source.
        const ends = "(() => { const d = document.querySelector('#grid .wires path').getAttribute('d').match(/[\\d.]+/g).map(Number); const grid = document.getElementById('grid'); const middle = lane => { const th = grid.rows[0].cells[lane + 1]; return th.offsetLeft + th.offsetWidth / 2 - grid.querySelector('.wires').cells[1].offsetLeft; }; return [Math.abs(d[0] - middle(1)), Math.abs(d[4] - middle(0))]; })()";
        assert.ok((await page.run(ends)).every(it => it < 1), "ends of arrows");
        // The next shuffle: four lanes in a branch, of which two read others.
        await page.key("r");
        assert.deepEqual(await page.run(texts), ["WaveReadLaneAt(t, t * 2 % 8) reads lane 0 2?   0 2?  "]);
        assert.deepEqual([await page.run(arrows("defined")), await page.run(arrows("undefined"))], [2, 2]);
        // One lane's arrow alone, and then all again.
        await page.key("l");
        assert.equal(await data(page, "lane"), "0");
        assert.equal(await page.run(arrows("faint")), 3);
        await page.shot("timeline-shuffles");
        for (let at = 0; at < 8; at++) await page.key("l");
        assert.equal(await data(page, "lane"), "");
        await page.key("r");
        assert.match((await page.run(texts))[0], /^WaveReadLaneFirst\(t\) reads lane( 0){8}$/);
        await page.close();
    },

    async "a step writes what it changes, and what is left is what a new page shows"() {
        const shown = page => page.run("[...document.getElementById('grid').rows].map(it => [it.className, ...[...it.cells].map(it => [it.tagName, it.textContent, it.className, it.title, it.getAttribute('aria-label') ?? '', it.querySelectorAll('path').length].join())].join(';')).join('\\n')");
        for (const [file, step, keys] of [["small.html", 0, "ArrowRight ArrowRight ] ArrowRight ArrowRight b b b b ArrowRight ["], ["shuffles.html", 0, "ArrowRight ArrowRight ArrowRight r l ArrowRight ArrowLeft"]]) {
            const page = await open(`${file}#wave=0&step=${step}`);
            await ready(page);
            const rewritten = "(() => { const it = document.getElementById('grid').rows[1].cells[1]; const kept = it === window.before; window.before = it; return !kept; })()";
            await page.run(rewritten);
            let [count, settings] = [0, []];
            for (const key of keys.split(" ")) {
                await page.key(key);
                count += await page.run(rewritten);
                // What the address does not hold.
                if ("bl".includes(key)) settings.push(key);
                const other = await open(file + await page.run("location.hash"));
                await ready(other);
                for (const setting of settings) await other.key(setting);
                assert.equal(await shown(page), await shown(other), `${file} after ${key}`);
                await other.close();
            }
            // Only rows that come or go make the grid anew: variables come into scope, and shuffles are of few steps.
            if (file === "small.html") assert.ok(count <= 3, `${count} times anew`);
            await page.close();
        }
    },

    async "everything has a name for a screen reader, and can be reached by keys"() {
        const page = await open("small.html");
        await ready(page);
        const nameless = "[...document.querySelectorAll('button, select, input, canvas')].filter(it => !(it.getAttribute('aria-label') || it.title || it.labels?.length || it.textContent.trim())).length";
        assert.equal(await page.run(nameless), 0);
        assert.equal(await page.run("document.getElementById('bands').tabIndex"), 0);
        assert.match(await page.run("document.getElementById('bands').getAttribute('aria-label')"), /1 wave of 8 lanes/);
        assert.equal(await page.run("document.getElementById('status').getAttribute('aria-live')"), "polite");
        assert.ok(await page.run("[...document.querySelectorAll('#grid th')].every(it => it.scope === 'row' || it.scope === 'col')"));
        await page.close();
    },

    async "a narrow window has everything"() {
        const page = await open("small.html", [400, 900]);
        await ready(page);
        assert.ok(await page.run("document.documentElement.scrollWidth <= 400"), "nothing stands out to the side");
        await page.shot("timeline-narrow");
        await page.close();
    },

    async "the line and the lanes at the cursor are in view, however many waves there are"() {
        for (const size of [[1280, 800], [1024, 600], [1920, 1080]]) {
            const page = await open("large.html", size);
            await ready(page);
            for (const key of ["Home", "End", "[", "ArrowDown"]) {
                await page.key(key);
                const isSeen = selector => `(() => { const it = document.querySelector('${selector}').getBoundingClientRect(); return it.top >= 0 && it.bottom <= innerHeight; })()`;
                for (const selector of ["#source .here", "#status", "#grid tr"]) {
                    assert.ok(await page.run(isSeen(selector)), `${selector} after ${key} in ${size}`);
                }
            }
            assert.match(await page.run("document.getElementById('busy').textContent"), /waves \d+ to \d+ of 8 shown/);
            await page.close();
        }
    },

    async "a million lane-steps are shown, and ten million"() {
        for (const [file, least] of [["large.html", 1e6], ["huge.html", 1e7]]) {
            const page = await open(file);
            await ready(page);
            const steps = Number(await data(page, "steps")) * Number(await data(page, "lanes"));
            assert.ok(steps >= least, `${steps} lane-steps`);
            const first = await page.run("Math.round(Number(document.documentElement.dataset.ready))");
            // Drawn, not only asked for: reading a pixel waits for the picture.
            const times = key => page.run(`(() => { const times = []; for (let at = 0; at < 20; at++) { const begin = performance.now(); document.dispatchEvent(new KeyboardEvent('keydown', { key: ${key} })); document.getElementById('bands').getContext('2d').getImageData(0, 0, 1, 1); times.push(performance.now() - begin); } return times.sort((a, b) => a - b).map(it => Math.round(it * 10) / 10); })()`);
            const [zoom, step] = [await times("at < 10 ? '+' : '-'"), await times("'ArrowRight'")];
            console.log(`timeline: ${(steps / 1e6).toFixed(1)} M lane-steps: first picture ${first} ms after the script began, zoom ${zoom[10]} ms (median), ${zoom[19]} ms (worst), a step ${step[10]} ms (median), ${step[19]} ms (worst)`);
            await page.shot(file.replace(/(.*).html/, "timeline-$1"));
            await page.close();
        }
    },
});
