// The playground and the documents in a browser: what a visitor sees and does.
//
//   node page.mjs BROWSER SITE SCREENSHOTS
import assert from "node:assert/strict";
import { open, visit } from "./browser.mjs";

const ready = page => page.until("'ready' in document.documentElement.dataset && Number(document.documentElement.dataset.answers) > 0", "the page is ready");
const row = label => `[...[...document.querySelectorAll('#table tbody tr')].find(it => it.cells[0].textContent === ${JSON.stringify(label)})?.cells ?? []].slice(1, 7).map(it => it.textContent).join(' ')`;
const setText = text => `(() => { const it = document.querySelector('.cm-content'); it.value = ${JSON.stringify(text)}; it.dispatchEvent(new Event('input')); })()`;

// ------------------------------------------------------------------------------------------------ what a visitor does

const RACE = "groupshared uint tile[64];\nRWStructuredBuffer<uint> Out;\n[numthreads(64, 1, 1)]\nvoid main(uint t : SV_GroupIndex) {\n    tile[t] = t;\n    Out[t] = tile[t ^ 32];\n}\n";

// Both accesses of a race are in functions, one of them two calls deep.
const CALLS = `groupshared uint tile[64];
RWStructuredBuffer<uint> Out;
void put(uint t, uint value) {
    tile[t] = value;
}
void fill(uint t) {
    put(t, t);
}
uint take(uint t) { return tile[t ^ 32]; }
[numthreads(64, 1, 1)] void main(uint t : SV_GroupIndex) {
    fill(t);
    Out[t] = take(t);
}
`;

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

    async "a finding names the callers of its functions, and their lines can be gone to"() {
        const page = await open("index.html#e=compact");
        await ready(page);
        await page.after(() => page.run(setText(CALLS)));
        await page.until("document.querySelector('#findings .stack')", "a call stack");
        const stacks = await page.run("[...document.querySelectorAll('#findings .stack')].map(it => it.textContent)");
        assert.deepEqual(stacks, [
            "(2) is in put, called at line 7 by fill, called at line 11 by main",
            "(1) is in take, called at line 12 by main",
        ]);
        await page.run("[...document.querySelectorAll('#findings .stack button')].find(it => it.textContent === 'line 11').click()");
        assert.equal(await page.run("(() => { const it = document.getElementById('text'); return it.value.slice(it.selectionStart, it.selectionEnd); })()"), "fill(t)");
        await page.shot("stack");
        // A program without functions has nothing to say here.
        await page.after(() => page.run(setText(RACE)));
        assert.equal(await page.run("[document.querySelectorAll('#findings .report').length, document.querySelectorAll('#findings .stack').length].join(' ')"), "1 0");
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

await visit(visits);
