// What the timeline page computes, without a document: it reads a recording, and says of each wave, step and lane what
// it does and what variables hold. The format is described in the documentation of `file.rs`.
"use strict";

const timeline = (() => {
  const CHUNK_SNAPSHOT = 256;

  async function inflate(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  function fromBase64(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
  }

  class Reader {
    constructor(bytes, width) {
      this.bytes = bytes;
      this.at = 0;
      this.setBytes = Math.ceil(width / 8);
      // The words of the set that was read last.
      this.words = new Array(Math.ceil(width / 32));
    }

    // A number up to 2^53 is a Number, a larger one a BigInt.
    number() {
      let value = 0;
      let scale = 1;
      const begin = this.at;
      for (;;) {
        const byte = this.bytes[this.at++];
        if (byte === undefined) throw new Error("the recording is damaged");
        value += (byte & 127) * scale;
        if (byte < 128) break;
        scale *= 128;
      }
      return value < 2 ** 53 ? value : this.big(begin);
    }

    big(at) {
      let value = 0n;
      for (let shift = 0n; ; shift += 7n) {
        const byte = this.bytes[at++];
        value |= BigInt(byte & 127) << shift;
        if (byte < 128) return BigInt.asUintN(64, value);
      }
    }

    // Zigzag: as for `number`, a small one is a Number.
    signed() {
      const number = this.number();
      if (typeof number === "number") return number % 2 ? -(number + 1) / 2 : number / 2;
      return (number >> 1n) ^ -(number & 1n);
    }

    set() {
      let value = 0n;
      for (let base = 0; base < this.setBytes; base += 4) {
        let word = 0;
        const end = Math.min(4, this.setBytes - base);
        for (let i = 0; i < end; i++) word += this.bytes[this.at++] * 2 ** (8 * i);
        this.words[base / 4] = word;
        value = base ? value | (BigInt(word) << BigInt(8 * base)) : BigInt(word);
      }
      return value;
    }
  }

  const small = (value) => (value < 2n ** 53n ? Number(value) : value);

  // The value after so many steps from the first: of 64 bits, which wrap.
  function ramp(start, step, count) {
    if (typeof start === "number" && typeof step === "number") {
      const value = start + step * count;
      if (value >= 0 && value < 2 ** 53) return value;
    }
    return small(BigInt.asUintN(64, BigInt(start) + BigInt(step) * BigInt(count)));
  }

  // An exclusive-or with the value before.
  function changed(value, before) {
    if (value < 2 ** 32 && before < 2 ** 32) return (Number(value) ^ Number(before)) >>> 0;
    return small(BigInt(value) ^ BigInt(before));
  }

  // Lanes of a set, ascending. Word by word, because operations of BigInt are slow.
  function lanesOf(set) {
    const lanes = [];
    for (let base = 0; set > 0n; base += 32, set >>= 32n) {
      for (let word = Number(set & 0xffffffffn) | 0; word; word &= word - 1) lanes.push(base + 31 - Math.clz32(word & -word));
    }
    return lanes;
  }

  const count = (set) => lanesOf(set).length;
  const has = (set, lane) => ((set >> BigInt(lane)) & 1n) === 1n;

  class Wave {
    constructor(header, width) {
      this.group = header.group;
      this.wave = header.wave;
      this.lanes = BigInt(header.lanes);
      this.total = header.total;
      this.width = width;
      this.length = header.chunks.reduce((sum, it) => sum + it[2], 0);
      this.statement = new Uint32Array(this.length);
      // Sets, the same in words of 32 lanes, one set after the other, and for each step the number of its sets.
      this.sets = [];
      this.words = [];
      this.wordCount = Math.ceil(width / 32);
      this.lists = [];
      this.known = new Map();
      this.active = new Uint32Array(this.length);
      this.live = new Uint32Array(this.length);
      // The writes of each step, those before the first step first.
      this.writes = [];
      this.firstWrite = new Uint32Array(this.length + 1);
      // The shuffles of each step, those before the first step first.
      this.reads = [];
      this.firstRead = new Uint32Array(this.length + 1);
      this.before = new Map();
      // The chunks whose values and shuffles have not been read yet: only those of waves that are looked at are.
      this.unread = [];
      this.snapshots = new Map();
    }

    number(set, words) {
      let number = this.known.get(set);
      if (number === undefined) {
        number = this.sets.length;
        this.sets.push(set);
        this.words.push(...words);
        this.known.set(set, number);
      }
      return number;
    }

    read(bytes, first, steps) {
      const reader = new Reader(bytes, this.width);
      let statement = 0;
      for (let step = first; step < first + steps; step++) {
        statement += reader.signed();
        this.statement[step] = statement;
      }
      for (const column of [this.active, this.live]) {
        for (let step = first; step < first + steps; ) {
          const run = reader.number();
          const set = this.number(reader.set(), reader.words);
          column.fill(set, step, step + run);
          step += run;
        }
      }
      this.unread.push([reader, first, steps]);
    }

    // Reads what the chunks have behind the sets.
    complete() {
      for (const [reader, first, steps] of this.unread) this.readValues(reader, first, steps);
      this.unread = [];
    }

    readValues(reader, first, steps) {
      const early = first === 0 ? reader.number() : 0;
      const counts = [];
      for (let step = 0; step < steps; step++) counts.push(reader.number());
      const all = lanesOf(this.lanes);
      for (let i = 0; i < early; i++) this.write(reader, this.lanes, all);
      for (let step = 0; step < steps; step++) {
        this.firstWrite[first + step] = this.writes.length;
        const active = this.active[first + step];
        for (let i = 0; i < counts[step]; i++) this.write(reader, this.sets[active], this.listed(active));
      }
      this.firstWrite[first + steps] = this.writes.length;
      this.readShuffles(reader, first, steps);
    }

    readShuffles(reader, first, steps) {
      if (first === 0) {
        for (let i = reader.number(); i > 0; i--) this.shuffle(reader, this.lanes);
      }
      let next = first;
      for (let i = reader.number(); i > 0; i--) {
        const step = next + reader.number();
        this.firstRead.fill(this.reads.length, next, step + 1);
        const active = this.sets[this.active[step]];
        for (let j = reader.number(); j > 0; j--) this.shuffle(reader, active);
        next = step + 1;
      }
      this.firstRead.fill(this.reads.length, next, first + steps + 1);
    }

    shuffle(reader, active) {
      const form = reader.number();
      const shuffle = reader.number();
      const lanes = form & 8 ? reader.set() : active;
      const kind = form & 3;
      const fixed = kind === 1 ? reader.signed() : kind < 3 ? reader.number() : 0;
      const pairs = lanesOf(lanes).map((lane) => {
        const from = [fixed, lane + fixed, (lane ^ fixed) >>> 0][kind] ?? reader.number();
        return { lane, from, isDefined: from < this.width && has(lanes, from) };
      });
      this.reads.push({ shuffle, pairs });
    }

    // The variables that a step gives values to, each as in `stateAt`.
    writtenIn(step) {
      this.complete();
      const writes = this.writes.slice(this.firstWrite[step], this.firstWrite[step + 1]);
      return new Set(writes.map((it) => it.variable * 65536 + it.scalar));
    }

    // The shuffles of a step: for each lane that takes part, the lane that it reads.
    readsAt(step) {
      this.complete();
      return this.reads.slice(this.firstRead[step], this.firstRead[step + 1]);
    }

    // A write by these lanes, unless it names others.
    write(reader, active, listed) {
      const form = reader.number();
      const variable = reader.number();
      const scalar = reader.number();
      const lanes = form & 8 ? reader.set() : active;
      const list = form & 8 ? lanesOf(lanes) : listed;
      const poison = form & 4 ? reader.set() : 0n;
      const key = variable * 65536 + scalar;
      let old = this.before.get(key);
      if (!old) this.before.set(key, (old = new Array(this.width).fill(0)));
      const kind = form & 3;
      const start = kind < 2 ? reader.number() : 0;
      const step = kind === 1 ? reader.signed() : 0;
      const values = list.map((lane, at) => {
        if (kind < 2) return ramp(start, step, at);
        const own = reader.number();
        return kind === 3 ? changed(own, old[lane]) : own;
      });
      list.forEach((lane, at) => (old[lane] = values[at]));
      this.writes.push({ variable, scalar, lanes, list, poison, values });
    }

    // The next step with a shuffle.
    shuffleAfter(step) {
      this.complete();
      for (let at = step + 1; at < this.length; at++) if (this.firstRead[at] < this.firstRead[at + 1]) return at;
      return step;
    }

    activeAt(step) {
      return this.sets[this.active[step]];
    }

    liveAt(step) {
      return this.sets[this.live[step]];
    }

    // The lanes of a set, by its number.
    listed(number) {
      return (this.lists[number] ??= lanesOf(this.sets[number]));
    }

    // Whether a lane is in a set, by the set's number.
    isIn(number, lane) {
      return ((this.words[number * this.wordCount + (lane >> 5)] >>> (lane & 31)) & 1) === 1;
    }

    // What scalars hold before a step: a map from `variable * 65536 + scalar`.
    stateAt(step) {
      this.complete();
      const base = Math.floor(step / CHUNK_SNAPSHOT) * CHUNK_SNAPSHOT;
      let state = new Map();
      let from = 0;
      for (let at = base; at > 0; at -= CHUNK_SNAPSHOT) {
        if (this.snapshots.has(at)) {
          state = this.snapshots.get(at);
          from = at;
          break;
        }
      }
      // States are shared: a write makes a new row.
      state = new Map(state);
      const apply = (first, last) => {
        for (let i = first; i < last; i++) {
          const { variable, scalar, lanes, list, poison, values } = this.writes[i];
          const key = variable * 65536 + scalar;
          const old = state.get(key);
          const row = old
            ? { values: old.values.slice(), written: old.written, poison: old.poison }
            : { values: new Array(this.width).fill(0), written: 0n, poison: 0n };
          list.forEach((lane, at) => (row.values[lane] = values[at]));
          row.written |= lanes;
          row.poison = (row.poison & ~lanes) | poison;
          state.set(key, row);
        }
      };
      if (from === 0) apply(0, this.firstWrite[0]);
      for (let at = from; at < step; at++) {
        apply(this.firstWrite[at], this.firstWrite[at + 1]);
        if ((at + 1) % CHUNK_SNAPSHOT === 0) this.snapshots.set(at + 1, new Map(state));
      }
      return state;
    }

    // What a lane does at a step, and since which step it has not run.
    laneAt(step, lane) {
      if (!has(this.lanes, lane)) return { state: "absent", since: null };
      const runs = (at) => this.isIn(this.active[at], lane);
      if (runs(step)) return { state: "active", since: null };
      let since = step - 1;
      while (since >= 0 && !runs(since)) since--;
      const state = has(this.liveAt(step), lane) ? "waiting" : "returned";
      return { state, since: since < 0 ? null : since };
    }

    // The next step, forward or back, before which lanes have parted.
    divergence(step, direction) {
      for (let at = step + direction; at > 0 && at < this.length; at += direction) {
        const [before, now] = [this.activeAt(at - 1), this.activeAt(at)];
        if ((before & ~now) !== 0n && now !== 0n) return at;
      }
      return step;
    }
  }

  async function decode(bytes) {
    const magic = "wlrec\0";
    for (let i = 0; i < magic.length; i++) {
      if (bytes[i] !== magic.charCodeAt(i)) throw new Error("this is not a recording of wavelane");
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const format = view.getUint16(6, true);
    if (format !== 2) throw new Error(`the recording has the format ${format}; this page reads 2`);
    const length = view.getUint32(8, true);
    const header = JSON.parse(new TextDecoder().decode(await inflate(bytes.subarray(12, 12 + length))));
    const width = header.program.wave_size;
    let at = 12 + length;
    const waves = [];
    for (const data of header.waves) {
      const wave = new Wave(data, width);
      let first = 0;
      for (const [packed, , steps] of data.chunks) {
        wave.read(await inflate(bytes.subarray(at, at + packed)), first, steps);
        at += packed;
        first += steps;
      }
      wave.words = Uint32Array.from(wave.words);
      waves.push(wave);
    }
    return { ...header, width, waves };
  }

  // The digits of a set: one for every four lanes.
  function mask(set, width) {
    return "0x" + set.toString(16).padStart(Math.ceil(width / 4), "0");
  }

  const BITS = { bool: 1, i16: 16, u16: 16, f16: 16, i32: 32, u32: 32, f32: 32, i64: 64, u64: 64, f64: 64 };
  const BASES = ["natural", "hexadecimal", "float", "binary"];

  function half(bits) {
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    const sign = bits & 0x8000 ? -1 : 1;
    if (exponent === 31) return fraction ? NaN : sign * Infinity;
    return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
  }

  function float(value, bits) {
    if (bits === 16) return half(Number(value));
    const view = new DataView(new ArrayBuffer(8));
    if (bits === 64) {
      view.setBigUint64(0, BigInt(value));
      return view.getFloat64(0);
    }
    view.setUint32(0, Number(value));
    return view.getFloat32(0);
  }

  // A float in as few digits as tell it from its neighbours.
  function decimal(value, bits) {
    if (Object.is(value, -0)) return "-0";
    if (bits !== 32 || !Number.isFinite(value)) return String(value);
    for (let digits = 1; digits < 9; digits++) {
      const text = Number(value.toPrecision(digits));
      if (Math.fround(text) === value) return String(text);
    }
    return String(Number(value.toPrecision(9)));
  }

  // A value as its type says, or in another base.
  function format(value, type, base = "natural") {
    const bits = BITS[type];
    if (base === "hexadecimal") return "0x" + BigInt(value).toString(16).padStart(Math.max(1, bits / 4), "0");
    if (base === "binary") return "0b" + BigInt(value).toString(2).padStart(bits, "0");
    if (base === "float" && bits >= 16) return decimal(float(value, bits), bits);
    if (type === "bool") return BigInt(value) & 1n ? "true" : "false";
    if (type[0] === "f") return decimal(float(value, bits), bits);
    if (type[0] === "i") return String(BigInt.asIntN(bits, BigInt(value)));
    return String(value);
  }

  // The scopes that a step is in, the innermost first.
  function scopesAt(recording, wave, step) {
    const scopes = [];
    let scope = recording.statements[wave.statement[step]][3];
    while (scope !== null && scope !== undefined) {
      scopes.push(scope);
      scope = recording.scopes[scope].caller;
    }
    return scopes;
  }

  // The rows of the lane grid at a step: of variables of the functions that the wave is in, those that have values.
  function rowsAt(recording, wave, step) {
    const scopes = scopesAt(recording, wave, step);
    const rows = [];
    const state = wave.stateAt(step);
    for (const [key, row] of [...state.entries()].sort((a, b) => a[0] - b[0])) {
      const variable = recording.variables[Math.floor(key / 65536)];
      const depth = variable.scope === null ? scopes.length : scopes.indexOf(variable.scope);
      if (depth < 0) continue;
      const [path, type] = variable.scalars[key % 65536];
      rows.push({ key, name: variable.name + path, type, depth, ...row });
    }
    return rows.sort((a, b) => a.depth - b.depth);
  }

  function lineAt(recording, wave, step) {
    return recording.statements[wave.statement[step]][1];
  }

  // The next step of a wave whose line, source text or number matches.
  function find(recording, wave, step, text) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return step;
    const sources = recording.program.files.map((it) => it[1].toLowerCase().split("\n"));
    for (let i = 1; i <= wave.length; i++) {
      const at = (step + i) % wave.length;
      const [file, line] = recording.statements[wave.statement[at]];
      if (String(line) === wanted || (sources[file]?.[line - 1] ?? "").includes(wanted)) return at;
    }
    return step;
  }

  // Of all steps, how many lanes of those that exist were active.
  function busy(recording) {
    let active = 0;
    let all = 0;
    for (const wave of recording.waves) {
      const counts = wave.sets.map((_, number) => wave.listed(number).length);
      const lanes = count(wave.lanes);
      for (let step = 0; step < wave.length; step++) active += counts[wave.active[step]];
      all += lanes * wave.length;
    }
    return all ? active / all : 0;
  }

  return {
    BASES, busy, count, decode, find, format, fromBase64, has, lanesOf, lineAt, mask, rowsAt, scopesAt,
  };
})();

if (typeof module !== "undefined") module.exports = timeline;
