// Shows a recording in the page: bands of lanes over time, the source with counts, and the grid of lanes at the cursor.
// All three have one cursor: a wave and a step. Nothing is computed here that `timeline` computes.
(() => {
  const at = (id) => document.getElementById(id);
  const began = performance.now();
  let recording;
  let wave = 0;
  let step = 0;
  let base = 0;
  // How many lanes are active, in per cent.
  let busy = "";
  // The lane whose arrows stand out, if one is chosen.
  let chosen = null;
  // The steps that the bands show.
  let from = 0;
  let to = 1;

  const current = () => recording.waves[wave];
  const name = (it) => `wave ${it.wave} · (${it.group.join(",")})`;

  const FONT = "11px ui-monospace, monospace";

  // Writes a text, unless it is there: what changes is laid out again.
  function say(id, text) {
    const it = at(id);
    if (it.textContent !== text) it.textContent = text;
  }

  // The waves of the bands: those around the current one.
  function shown() {
    const most = Math.max(1, Math.min(recording.waves.length, Math.floor(bandRoom() / bandHeight())));
    const first = Math.max(0, Math.min(wave - Math.floor(most / 2), recording.waves.length - most));
    return { first, last: first + most };
  }

  // The height of all bands together: source and lanes need the rest of the window.
  const bandRoom = () => Math.min(640, window.innerHeight * 0.35);
  // The height of a lane: more than the least, where there are few.
  function rowHeight() {
    const least = recording.width <= 16 ? 5 : recording.width <= 32 ? 3 : 1;
    const each = bandRoom() / recording.waves.length - 14;
    return Math.max(least, Math.min(10, Math.floor(each / recording.width)));
  }
  const bandHeight = () => recording.width * rowHeight() + 14;

  // The steps of a wave as pixels: operations of the canvas for each lane would take longer than all the rest. At every
  // pixel lanes may part anew, so that sets are looked at in place, word by word.
  function bandImage(context, it, width, ratio) {
    const height = Math.max(1, Math.round(rowHeight() * ratio));
    const image = context.createImageData(width, recording.width * height);
    const pixels = new Uint32Array(image.data.buffer);
    const { active, waiting, faint } = palette().pixels;
    // A row of one pixel has no room for a gap.
    const full = Math.max(1, height - Math.round(ratio));
    const half = Math.max(1, Math.floor(full / 2));
    const dots = Math.round(4 * ratio);
    const steps = Array.from({ length: width }, (_, x) => from + Math.floor((x * (to - from)) / width));
    const end = steps.findIndex((step) => step >= it.length);
    const shown = steps.slice(0, end < 0 ? width : end);
    const [runs, lives] = [it.active, it.live].map((sets) => Uint32Array.from(shown, (step) => sets[step] * it.wordCount));
    const { words } = it;
    // Row by row, in the order of memory.
    for (let lane = 0; lane < recording.width; lane++) {
      const [word, bit, exists] = [lane >> 5, lane & 31, timeline.has(it.lanes, lane)];
      for (let y = 0; y < full; y++) {
        const row = (lane * height + y) * width;
        // Waiting is half of the height, and returned dots: told apart without colour, too.
        if (y > 1 && y !== half) {
          pixels.copyWithin(row, row - width, row);
          continue;
        }
        for (let x = 0; x < shown.length; x++) {
          if ((words[runs[x] + word] >>> bit) & 1) pixels[row + x] = active;
          else if (y >= half) continue;
          else if ((words[lives[x] + word] >>> bit) & 1) pixels[row + x] = waiting;
          else if (y === 0 && exists && x % dots < ratio) pixels[row + x] = faint;
        }
      }
    }
    return image;
  }

  // The colours of the page, as texts and as pixels, until it becomes light or dark.
  let colours = null;
  function palette() {
    if (!colours) {
      const style = getComputedStyle(document.documentElement);
      const names = ["active", "waiting", "ink", "faint", "line", "arrow", "bad"];
      colours = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
      colours.pixels = Object.fromEntries(names.map((name) => [name, pixel(colours[name])]));
    }
    return colours;
  }

  // A colour `#rgb` or `#rrggbb` as a pixel.
  function pixel(text) {
    const digits = text.length === 4 ? [...text.slice(1)].map((it) => it + it).join("") : text.slice(1);
    const [red, green, blue] = [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16));
    return new Uint32Array(new Uint8Array([red, green, blue, 255]).buffer)[0];
  }

  // The bands without the cursor, and what they show: a step moves only the cursor.
  const bands = { shows: "", canvas: document.createElement("canvas") };

  function bandsPicture({ first, last, width, height, ratio, left }) {
    const shows = [first, last, width, height, ratio, from, to].join();
    const { canvas } = bands;
    if (bands.shows === shows && colours) return canvas;
    bands.shows = shows;
    resize(canvas, width * ratio, height * ratio);
    // Pixels that the script makes: to take them to the graphics processor and back would cost more.
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const room = width - left;
    context.font = FONT;
    for (let number = first; number < last; number++) {
      const it = recording.waves[number];
      const top = (number - first) * bandHeight();
      context.fillStyle = palette().ink;
      context.fillText(name(it), 2, top + 11, left - 6);
      const image = bandImage(context, it, Math.round(room * ratio), ratio);
      context.putImageData(image, Math.round(left * ratio), Math.round(top * ratio));
      if (it.total > it.length) {
        const x = left + ((it.length - from) * room) / Math.max(1, to - from);
        context.fillStyle = palette().line;
        for (let offset = 0; offset < 40; offset += 5) context.fillRect(x + offset, top, 2, bandHeight() - 14);
      }
    }
    return canvas;
  }

  // A canvas that gets a size, even its own, is made anew.
  function resize(canvas, width, height) {
    if (canvas.width !== Math.floor(width)) canvas.width = width;
    if (canvas.height !== Math.floor(height)) canvas.height = height;
  }

  function drawBands() {
    const canvas = at("bands");
    const { first, last } = shown();
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth || 800;
    const height = (last - first) * bandHeight();
    const left = 110;
    const picture = bandsPicture({ first, last, width, height, ratio, left });
    resize(canvas, width * ratio, height * ratio);
    canvas.style.height = `${height}px`;
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(picture, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const all = recording.waves.length;
    const some = last - first < all ? `, waves ${first + 1} to ${last} of ${all} shown` : "";
    say("busy", `· ${busy} % of lanes busy${some}`);
    drawCursor(context, (wave - first) * bandHeight(), left, width - left, height);
  }

  // The cursor, and the shuffles of its step: from each source, left of it, to the lane that reads.
  function drawCursor(context, own, left, room, height) {
    const { ink, arrow, bad } = palette();
    const span = Math.max(1, to - from);
    const x = left + ((step + 0.5 - from) * room) / span;
    context.fillStyle = ink;
    context.fillRect(x, 0, 1, height - 13);
    const reach = Math.max(8, Math.min(24, room / span / 2));
    const middle = (lane) => own + (lane + 0.5) * rowHeight();
    for (const { lane, from: source, isDefined } of current().length ? arrows() : []) {
      if (source >= recording.width) continue;
      context.strokeStyle = isDefined ? arrow : bad;
      context.setLineDash(isDefined ? [] : [3, 2]);
      context.beginPath();
      context.moveTo(x - reach, middle(source));
      context.lineTo(x + reach, middle(lane));
      context.lineTo(x + reach - 4, middle(lane) - 2);
      context.stroke();
    }
    context.setLineDash([]);
    context.strokeStyle = ink;
    context.strokeRect(left, own - 1, room - 1, bandHeight() - 12);
  }

  // The arrows at the cursor: of the chosen lane, or of all.
  function arrows() {
    const all = current().readsAt(step).flatMap((it) => it.pairs);
    return chosen === null ? all : all.filter((it) => it.lane === chosen);
  }

  function choose(lane) {
    chosen = chosen === lane ? null : lane;
    document.documentElement.dataset.lane = chosen ?? "";
    draw();
  }

  // Two rows for each shuffle of the step: space for arrows from the sources, and the lane that each lane reads.
  function rowsOfReads() {
    return current().readsAt(step).flatMap(({ shuffle, pairs }) => {
      const by = new Map(pairs.map((it) => [it.lane, it]));
      const cells = lanes().map((lane) => {
        const pair = by.get(lane);
        if (!pair) return { text: "", kind: "", about: "" };
        const what = pair.isDefined ? "" : ", which does not take part: undefined";
        const kinds = [pair.isDefined ? "" : "poison", lane === chosen ? "changed" : ""];
        return {
          text: `${pair.from}${pair.isDefined ? "" : "?"}`,
          kind: kinds.join(" ").trim(),
          about: `lane ${lane} reads lane ${pair.from}${what}`,
        };
      });
      return [
        { kind: "wires", pairs, label: { text: "", kind: "", about: "" }, cells: [] },
        { kind: "reads", label: { text: `${recording.shuffles[shuffle][3]} reads lane`, kind: "", about: "" }, cells },
      ];
    });
  }

  // Lines from the columns of sources, above, to those of the lanes that read them, below.
  function drawWires(across, pairs) {
    const height = 40;
    const heads = [...at("grid").querySelectorAll("tr:first-child th")].slice(1);
    const left = across.offsetLeft;
    const middle = (lane) => heads[lane].offsetLeft + heads[lane].offsetWidth / 2 - left;
    const line = ({ lane, from: source, isDefined }) => {
      if (source >= recording.width) return "";
      const [a, b] = [middle(source), middle(lane)];
      const faint = chosen !== null && chosen !== lane ? " faint" : "";
      const kind = isDefined ? "defined" : "undefined";
      return `<path class="${kind}${faint}" d="M${a} 2C${a} 20 ${b} 16 ${b} ${height - 2}m-3 -5l3 5l3 -5"/>`;
    };
    // Numbers and fixed words: nothing of the recording is markup.
    const lines = pairs.map(line).join("");
    across.innerHTML = `<svg width="${across.clientWidth}" height="${height}" aria-hidden="true">${lines}</svg>`;
  }

  function drawSource() {
    const container = at("source");
    const [file, line] = current().length ? recording.statements[current().statement[step]] : [0, 0];
    if (container.dataset.file !== String(file)) {
      container.dataset.file = String(file);
      container.replaceChildren();
      const counts = new Map(recording.lines.filter((it) => it[0] === file).map((it) => [it[1], it]));
      const found = new Set(recording.findings.map((it) => it.line));
      (recording.program.files[file]?.[1] ?? "").replace(/\n$/, "").split("\n").forEach((text, index) => {
        const row = document.createElement("div");
        const own = counts.get(index + 1);
        const cells = [
          ["number", String(index + 1)],
          ["count", own ? `×${own[2]}` : ""],
          ["text", text],
        ];
        const [number, count, code] = cells.map(([kind, content]) => cell("span", content, [kind]));
        if (own) {
          const average = (own[3] / own[2]).toFixed(1);
          count.append(cell("span", ` ${average} lanes`, ["lanes-word"]));
          count.title = `executed ${own[2]} times, with ${average} lanes on average`;
        }
        row.append(number, count, code);
        if (file === 0 && found.has(index + 1)) row.classList.add("finding");
        container.append(row);
      });
    }
    container.querySelector(".here")?.classList.remove("here");
    const here = container.children[line - 1];
    if (here) {
      here.classList.add("here");
      const [top, height] = [here.offsetTop - container.offsetTop, container.clientHeight];
      if (top < container.scrollTop || top > container.scrollTop + height - 40) container.scrollTop = top - height / 2;
    }
  }

  function cell(kind, text, classes = []) {
    const it = document.createElement(kind);
    it.textContent = text;
    for (const name of classes) it.classList.add(name);
    return it;
  }

  const lanes = () => Array.from({ length: recording.width }, (_, lane) => lane);

  // The grid of lanes at the cursor as data: rows of a label and a cell for each lane. What is `about` a label is its title,
  // and what is about a cell its name for a screen reader, too.
  function gridRows() {
    const it = current();
    if (!it.length) return [];
    const states = lanes().map((lane) => it.laneAt(step, lane));
    const numbers = lanes().map((lane) => ({ text: String(lane), kind: lane === chosen ? "changed" : "", about: "" }));
    const symbols = { active: "●", waiting: "◌", returned: "–", absent: " " };
    const stateCells = states.map(({ state: kind, since }) => {
      const left = since === null ? "" : `, since line ${timeline.lineAt(recording, it, since)} (step ${since})`;
      return { text: symbols[kind], kind, about: kind + left };
    });
    const written = step > 0 ? it.writtenIn(step - 1) : new Set();
    const variables = timeline.rowsAt(recording, it, step).map((row) => ({
      kind: "variable",
      // Marked is what the statement before has given values to.
      label: { text: "  ".repeat(row.depth) + row.name, kind: written.has(row.key) ? "changed" : "", about: row.type },
      cells: states.map(({ state }, lane) => {
        if (!timeline.has(row.written, lane)) return { text: "", kind: state, about: "" };
        if (timeline.has(row.poison, lane)) return { text: "?", kind: `${state} poison`, about: "" };
        return { text: timeline.format(row.values[lane], row.type, timeline.BASES[base]), kind: state, about: "" };
      }),
    }));
    return [
      { kind: "numbers", label: { text: "lane", kind: "", about: "" }, cells: numbers },
      { kind: "states", label: { text: "state", kind: "", about: "" }, cells: stateCells },
      ...rowsOfReads(),
      ...variables,
    ];
  }

  // The rows that the grid shows.
  let grid = [];

  // Writes into the grid only what a step changes: the browser lays out again what is written. Rows of other kinds make it
  // anew.
  function drawGrid() {
    const table = at("grid");
    const rows = gridRows();
    if (rows.map((it) => it.kind).join() !== grid.map((it) => it.kind).join()) {
      table.replaceChildren(...rows.map(emptyRow));
      grid = [];
    }
    rows.forEach(({ label, cells }, number) => {
      const [th, ...rest] = table.rows[number].cells;
      const old = grid[number];
      put(th, label, old?.label);
      cells.forEach((it, lane) => put(rest[lane], it, old?.cells[lane]));
    });
    grid = rows;
    rows.forEach(({ pairs }, number) => pairs && drawWires(table.rows[number].cells[1], pairs));
  }

  function emptyRow({ kind, cells }) {
    const row = document.createElement("tr");
    if (kind === "wires" || kind === "reads") row.className = kind;
    const label = document.createElement(kind === "wires" ? "td" : "th");
    if (kind !== "wires") label.scope = "row";
    row.append(label, ...cells.map(() => document.createElement(kind === "numbers" ? "th" : "td")));
    if (kind === "numbers") {
      [...row.cells].slice(1).forEach((th, lane) => {
        th.scope = "col";
        th.onclick = () => choose(lane);
      });
    }
    if (kind === "wires") {
      const across = document.createElement("td");
      across.colSpan = recording.width;
      row.append(across);
    }
    return row;
  }

  function put(element, { text, kind, about }, old) {
    if (text !== (old?.text ?? "")) element.textContent = text;
    if (kind !== (old?.kind ?? "")) element.className = kind;
    if (about === (old?.about ?? "")) return;
    element.title = about;
    if (element.tagName === "TD") element.setAttribute("aria-label", about);
  }

  function draw() {
    const it = current();
    const root = document.documentElement;
    // Read all sizes first, then change them.
    drawBands();
    drawSource();
    root.dataset.step = String(step);
    root.dataset.wave = String(wave);
    say("place", `step ${step} of ${it.total}`);
    at("wave").value = String(wave);
    say("base", `values: ${timeline.BASES[base]}`);
    if (it.length) {
      const active = it.activeAt(step);
      const line = timeline.lineAt(recording, it, step);
      say(
        "status",
        `${name(it)}, step ${step}, line ${line}: active ${timeline.mask(active, recording.width)}, ` +
          `${timeline.count(active)} of ${timeline.count(it.lanes)} lanes`,
      );
    } else {
      say("status", `${name(it)}: no steps are kept`);
    }
    drawGrid();
    history.replaceState(null, "", `#wave=${wave}&step=${step}`);
  }

  function go(nextWave, nextStep) {
    wave = Math.max(0, Math.min(recording.waves.length - 1, nextWave));
    step = Math.max(0, Math.min(current().length - 1, nextStep));
    if (step < from || step >= to) {
      const span = to - from;
      from = Math.max(0, step - Math.floor(span / 2));
      to = from + span;
    }
    draw();
  }

  function zoom(factor) {
    const longest = Math.max(1, ...recording.waves.map((it) => it.length));
    const span = Math.max(16, Math.min(longest, Math.round((to - from) * factor)));
    from = Math.max(0, Math.min(step - Math.floor(span / 2), longest - span));
    to = from + span;
    drawBands();
  }

  // Goes to the next of these places, each a wave and a step.
  function goToNext(places) {
    if (!places.length) return;
    const next = places.find((it) => it[0] > wave || (it[0] === wave && it[1] > step)) ?? places[0];
    go(next[0], next[1]);
  }

  const nextFinding = () => goToNext(recording.findings.filter((it) => it.at).map((it) => it.at));

  function nextDifference() {
    const all = (recording.comparison?.differences ?? []).filter((it) => it.wave !== null);
    const order = (a, b) => a[0] - b[0] || a[1] - b[1];
    goToNext(all.map((it) => [it.wave, it.step]).sort(order));
  }

  // What another engine left differently, with the lanes that wrote it here.
  function describeComparison() {
    const { comparison } = recording;
    if (!comparison) return;
    const box = at("comparison");
    box.hidden = false;
    const list = box.querySelector("ul");
    const { engine, count, differences } = comparison;
    const how = count ? `${count} value${count === 1 ? "" : "s"} differ${count === 1 ? "s" : ""}` : "nothing differs";
    box.querySelector("h2").textContent = `Compared with ${engine}: ${how}`;
    for (const it of differences) {
      const who = it.lane === null ? "written by no lane" : `written by lane ${it.lane}, line ${it.line}`;
      const near = it.rounding ? " (rounding)" : "";
      const button = cell("button", `${it.place}: ${it.here} here, ${it.there} there${near}; ${who}`);
      button.onclick = () => {
        if (it.wave === null) return;
        chosen = it.lane;
        go(it.wave, it.step);
      };
      const item = document.createElement("li");
      item.append(button);
      list.append(item);
    }
    if (count > differences.length) list.append(cell("li", `and ${count - differences.length} more`));
  }

  const KEYS = {
    ArrowRight: () => go(wave, step + 1),
    ArrowLeft: () => go(wave, step - 1),
    ArrowDown: () => go(wave + 1, step),
    ArrowUp: () => go(wave - 1, step),
    Home: () => go(wave, 0),
    End: () => go(wave, current().length - 1),
    "]": () => go(wave, current().divergence(step, 1)),
    "[": () => go(wave, current().divergence(step, -1)),
    f: nextFinding,
    d: nextDifference,
    b: () => {
      base = (base + 1) % timeline.BASES.length;
      draw();
    },
    // The arrows of one lane after the other, and then those of all.
    l: () => choose(chosen === recording.width - 1 ? chosen : (chosen ?? -1) + 1),
    r: () => go(wave, current().shuffleAfter(step)),
    "+": () => zoom(0.5),
    "-": () => zoom(2),
    "/": () => at("find").focus(),
  };

  function listen() {
    document.addEventListener("keydown", (event) => {
      const typing = event.target.tagName === "INPUT" || event.target.tagName === "SELECT";
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
      const action = KEYS[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    });
    at("first").onclick = KEYS.Home;
    at("previous").onclick = KEYS.ArrowLeft;
    at("next").onclick = KEYS.ArrowRight;
    at("last").onclick = KEYS.End;
    at("base").onclick = KEYS.b;
    at("wave").onchange = (event) => go(Number(event.target.value), step);
    at("find").onkeydown = (event) => {
      if (event.key === "Enter") go(wave, timeline.find(recording, current(), step, event.target.value));
      if (event.key === "Escape") event.target.blur();
    };
    at("bands").onclick = (event) => {
      const [x, y] = [event.offsetX - 110, event.offsetY];
      const { first } = shown();
      const room = at("bands").clientWidth - 110;
      go(first + Math.floor(y / bandHeight()), from + Math.floor((x * (to - from)) / room));
    };
    window.addEventListener("resize", draw);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      colours = null;
      draw();
    });
    window.addEventListener("hashchange", fromAddress);
  }

  function fromAddress() {
    const parts = new URLSearchParams(location.hash.slice(1));
    const [w, s] = [Number(parts.get("wave") ?? 0), Number(parts.get("step") ?? 0)];
    go(Number.isInteger(w) ? w : 0, Number.isInteger(s) ? s : 0);
  }

  function describe() {
    const { program } = recording;
    at("title").textContent = `${program.name} · ${program.entry} · waves of ${recording.width} lanes`;
    const options = recording.waves.map((it, number) => new Option(name(it), String(number)));
    at("wave").append(...options);
    const waves = recording.waves.length === 1 ? "1 wave" : `${recording.waves.length} waves`;
    at("bands").setAttribute("aria-label", `${waves} of ${recording.width} lanes over time; arrow keys move the cursor`);
    busy = (timeline.busy(recording) * 100).toFixed(0);
    const notes = [];
    if (recording.failure) notes.push(`The run did not end: ${recording.failure}.`);
    if (!recording.complete) notes.push("Not all steps are kept (hatched): --limit keeps more.");
    if (!recording.has_all_values) notes.push("Not all values are kept: --window selects them, --limit keeps more.");
    at("note").textContent = notes.join(" ");
    for (const finding of recording.findings) {
      const item = document.createElement("li");
      const button = cell("button", `${finding.code}, line ${finding.line}: ${finding.message}`);
      button.onclick = () => finding.at && go(finding.at[0], finding.at[1]);
      item.append(button);
      at("findings").append(item);
    }
    if (!recording.findings.length) at("findings").append(cell("li", "none"));
    describeComparison();
  }

  async function start() {
    recording = await timeline.decode(timeline.fromBase64(at("recording").textContent.trim()));
    const root = document.documentElement;
    root.dataset.lanes = String(recording.width);
    root.dataset.steps = String(recording.waves.reduce((sum, it) => sum + it.length, 0));
    to = Math.max(1, ...recording.waves.map((it) => it.length));
    if (!recording.waves.length) {
      at("status").textContent = "no wave has run";
      root.dataset.ready = "";
      return;
    }
    describe();
    listen();
    const finding = recording.findings.find((it) => it.at);
    const difference = recording.comparison?.differences.find((it) => it.wave !== null);
    if (location.hash) fromAddress();
    else if (finding) go(finding.at[0], finding.at[1]);
    else if (difference) go(difference.wave, difference.step);
    else go(0, 0);
    // When the first picture was there, in milliseconds since the script began.
    root.dataset.ready = String(performance.now() - began);
  }

  start().catch((error) => {
    at("status").textContent = `The recording cannot be shown: ${error.message}`;
  });
})();
