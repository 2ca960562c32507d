//! Executes blocks of threads in warps of 32.
//!
//! The threads of a warp run apart, in an order drawn from a seed, each up to its next instruction that others can see
//! in lockstep: a `.sync`, a barrier, an atomic operation, the end. What is missing between them for the order of
//! plain accesses therefore shows. At a `.sync`, all 32 threads must be at the same instruction, whose mask must be
//! -1. Atomic operations of one instruction are performed in the order of lanes, as the hardware does.
//!
//! Registers begin with garbage. An address outside all buffers, or that is not a multiple of the size of the access,
//! is an error, as on the device; so is a kernel that stores to a buffer and loads from it as read-only
//! (`ld.global.nc`).

use ops::Random;

use super::parse::{Base, Instruction, Kernel, Operand, Register, Space, Type};
use super::scalar::{compute, ones};

/// The threads of a warp.
const LANES: usize = 32;

/// The steps that a thread may take before another one has a turn.
const TURN: u64 = 5_000;

/// The steps of all threads of a kernel.
const MOST_STEPS: u64 = 50_000_000;

/// The distance of buffers in the address space.
const APART: u32 = 40;

/// The most arguments of an instruction that computes.
const MOST_ARGUMENTS: usize = 4;

/// Global memory: buffers far apart from each other.
#[derive(Default)]
pub struct Global {
    buffers: Vec<Memory>,
}

#[derive(Default)]
struct Memory {
    bytes: Vec<u8>,
    is_stored_to: bool,
    /// Whether a load relied on it that nothing is.
    is_read_only: bool,
}

/// What is done at an address.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Load,
    /// A load of what nothing stores to while the kernel runs.
    ReadOnly,
    Store(u64),
}

impl Global {
    /// Adds a buffer, and returns its address.
    pub fn add(&mut self, bytes: Vec<u8>) -> u64 {
        self.buffers.push(Memory { bytes, ..Memory::default() });
        (self.buffers.len() as u64) << APART
    }

    /// The bytes of a buffer that was added.
    pub fn bytes(&self, address: u64) -> &[u8] {
        &self.buffers[(address >> APART) as usize - 1].bytes
    }

    fn find(&mut self, address: u64, size: usize, access: Access) -> Result<&mut [u8], String> {
        let outside = || format!("{size} bytes at address {address:#x} are in no buffer");
        let buffer = ((address >> APART) as usize).wrapping_sub(1);
        let at = (address & ones(APART)) as usize;
        let memory = self.buffers.get_mut(buffer).ok_or_else(outside)?;
        memory.is_stored_to |= matches!(access, Access::Store(_));
        memory.is_read_only |= access == Access::ReadOnly;
        if memory.is_stored_to && memory.is_read_only {
            return Err("a buffer is loaded as read-only and stored to".to_owned());
        }
        memory.bytes.get_mut(at..at + size).ok_or_else(outside)
    }
}

struct Thread {
    at: usize,
    registers: Vec<u64>,
    local: Vec<u8>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Running,
    /// At an instruction that concerns others.
    Stopped,
    /// At a barrier of the block.
    Waiting,
    Ended,
}

/// A block that has begun.
struct Block {
    group: [u32; 3],
    shared: Vec<u8>,
    warps: Vec<Vec<Thread>>,
}

/// A launch of a kernel.
pub struct Machine<'a> {
    kernel: &'a Kernel,
    global: &'a mut Global,
    param: &'a [u8],
    random: Random,
    /// Those of the block that runs.
    shared: Vec<u8>,
    group: [u32; 3],
    steps: u64,
    /// The most steps of all threads together.
    most: u64,
}

impl<'a> Machine<'a> {
    pub fn new(
        kernel: &'a Kernel,
        global: &'a mut Global,
        param: &'a [u8],
        seed: u64,
    ) -> Machine<'a> {
        Machine {
            kernel,
            global,
            param,
            random: Random::new(seed),
            shared: Vec::new(),
            group: [0; 3],
            steps: 0,
            most: MOST_STEPS,
        }
    }

    /// The same with another limit for the steps of all threads.
    pub fn with_limit(self, most: u64) -> Machine<'a> {
        Machine { most, ..self }
    }

    /// Runs all blocks in order. A block that does not end soon is left for a while, and the next one begins.
    pub fn run(&mut self, groups: [u32; 3]) -> Result<(), String> {
        if self.param.len() != self.kernel.param {
            return Err(format!("the parameter has {} bytes", self.kernel.param));
        }
        let threads = self.kernel.threads as usize;
        if threads == 0 || !threads.is_multiple_of(LANES) {
            return Err("a block has whole warps".to_owned());
        }
        let mut begun: Vec<Block> = Vec::new();
        for z in 0..groups[2] {
            for y in 0..groups[1] {
                for x in 0..groups[0] {
                    let block = self.begin([x, y, z]);
                    begun.push(block);
                    self.go_on(&mut begun)?;
                }
            }
        }
        while !begun.is_empty() {
            self.go_on(&mut begun)?;
        }
        Ok(())
    }

    fn begin(&mut self, group: [u32; 3]) -> Block {
        let garbage = (self.random.below(1 << 30) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let thread = |number: usize| Thread {
            at: 0,
            registers: (0..self.kernel.registers as u64)
                .map(|it| garbage.wrapping_mul(it * 2 + 1) ^ number as u64)
                .collect(),
            local: vec![0xcd; self.kernel.local],
            state: State::Running,
        };
        let warps = (0..self.kernel.threads as usize / LANES)
            .map(|warp| (0..LANES).map(|lane| thread(warp * LANES + lane)).collect())
            .collect();
        // As the hardware leaves it.
        Block { group, shared: vec![0xcd; self.kernel.shared], warps }
    }

    /// Gives each block that has begun a turn, and drops those that have ended.
    fn go_on(&mut self, begun: &mut Vec<Block>) -> Result<(), String> {
        for block in begun.iter_mut() {
            self.group = block.group;
            self.shared = std::mem::take(&mut block.shared);
            self.block(&mut block.warps)?;
            block.shared = std::mem::take(&mut self.shared);
        }
        begun.retain(|it| it.warps.iter().flatten().any(|it| it.state != State::Ended));
        Ok(())
    }

    /// Runs a block until it ends or has had its turn.
    fn block(&mut self, warps: &mut [Vec<Thread>]) -> Result<(), String> {
        let end = self.steps + TURN * (warps.len() * LANES) as u64;
        loop {
            let mut moved = false;
            for (number, warp) in warps.iter_mut().enumerate() {
                moved |= self.turn(number, warp)?;
            }
            let all = |state: State| warps.iter().flatten().all(|it| it.state == state);
            if all(State::Ended) {
                return Ok(());
            }
            // Ended warps count as arrived.
            let arrived = |it: &Thread| matches!(it.state, State::Waiting | State::Ended);
            if warps.iter().flatten().all(arrived) {
                for thread in warps.iter_mut().flatten() {
                    if thread.state == State::Waiting {
                        thread.state = State::Running;
                    }
                }
            } else if !moved {
                return Err("nothing moves: the warps wait at different places".to_owned());
            }
            if self.steps > self.most {
                return Err("the kernel does not end".to_owned());
            }
            if self.steps > end {
                return Ok(());
            }
        }
    }

    /// Lets a warp run until it waits, ends, or has had its turn. Returns whether it moved.
    fn turn(&mut self, number: usize, warp: &mut [Thread]) -> Result<bool, String> {
        let before = self.steps;
        let limit = self.steps + TURN * LANES as u64;
        loop {
            let mut order: Vec<usize> = (0..LANES).collect();
            self.random.shuffle(&mut order);
            for lane in order {
                let end = self.steps + TURN;
                while warp[lane].state == State::Running && self.steps < end {
                    self.step(number, lane, &mut warp[lane])?;
                }
            }
            if warp.iter().all(|it| it.state == State::Ended || it.state == State::Waiting) {
                let waits = warp.iter().filter(|it| it.state == State::Waiting).count();
                if waits != 0 && waits != LANES {
                    return Err("some threads of a warp have ended at a barrier".to_owned());
                }
                return Ok(self.steps > before);
            }
            self.meet(warp)?;
            if self.steps > limit {
                return Ok(true);
            }
        }
    }

    /// Performs one instruction at which threads have stopped.
    fn meet(&mut self, warp: &mut [Thread]) -> Result<(), String> {
        let kernel = self.kernel;
        let stopped = |it: &&Thread| it.state == State::Stopped;
        // Atomic operations need not be executed by all.
        let atomic = |it: &&Thread| matches!(kernel.code[it.at].name.as_str(), "atom" | "red");
        if let Some(at) = warp.iter().filter(stopped).filter(atomic).map(|it| it.at).min() {
            let it = &kernel.code[at];
            for thread in warp.iter_mut() {
                if thread.state == State::Stopped && thread.at == at {
                    if holds(it, thread) {
                        self.atomic(it, thread).map_err(|what| describe(it, &what))?;
                    }
                    self.steps += 1;
                    thread.at += 1;
                    thread.state = State::Running;
                }
            }
            return Ok(());
        }
        let Some(at) = warp.iter().find(stopped).map(|it| it.at) else { return Ok(()) };
        let it = &kernel.code[at];
        let fail = |what: &str| Err(describe(it, what));
        if warp.iter().any(|other| other.state == State::Running) {
            return Ok(());
        }
        if warp.iter().any(|other| other.state != State::Stopped || other.at != at) {
            return fail("not all 32 threads are there");
        }
        self.steps += LANES as u64;
        if matches!(it.name.as_str(), "exit" | "ret") {
            for thread in warp.iter_mut() {
                thread.state = if holds(it, thread) { State::Ended } else { State::Running };
                thread.at += 1;
            }
            let ended = warp.iter().filter(|it| it.state == State::Ended).count();
            if ended != 0 && ended != LANES {
                return fail("only some threads of a warp end");
            }
            return Ok(());
        }
        if it.guard.is_some() {
            return fail("a guarded `.sync`");
        }
        if it.name == "bar" && !it.has("warp") {
            for thread in warp.iter_mut() {
                thread.state = State::Waiting;
                thread.at += 1;
            }
            return Ok(());
        }
        self.together(it, warp).map_err(|what| describe(it, &what))?;
        for thread in warp.iter_mut() {
            thread.state = State::Running;
            thread.at += 1;
        }
        Ok(())
    }

    /// A `.sync` instruction, for all 32 threads.
    fn together(&mut self, it: &Instruction, warp: &mut [Thread]) -> Result<(), String> {
        let mask = it.operands.last();
        if mask != Some(&Operand::Constant(u64::MAX)) {
            return Err("the mask is not -1".to_owned());
        }
        if it.name == "bar" {
            return Ok(());
        }
        let values = |number: usize| -> Result<Vec<u64>, String> {
            warp.iter().map(|thread| value(thread, &it.operands[number], it.ty())).collect()
        };
        let a = values(1)?;
        let results: Vec<(u64, bool)> = match it.name.as_str() {
            "vote" => {
                // The operands are predicates, also of a ballot.
                let set = (0..LANES)
                    .filter(|lane| a[*lane] & 1 == 1)
                    .fold(0, |set, lane| set | 1u64 << lane);
                let result = match it.modifiers.get(1).map(String::as_str) {
                    Some("any") => u64::from(set != 0),
                    Some("all") => u64::from(set == ones(32)),
                    Some("ballot") => set,
                    _ => return Err("unknown vote".to_owned()),
                };
                vec![(result, true); LANES]
            }
            "shfl" => {
                let (b, c) = (values(2)?, values(3)?);
                let mode = it.modifiers.get(1).map_or("", String::as_str);
                (0..LANES)
                    .map(|lane| source(mode, lane as i64, b[lane], c[lane]))
                    .map(|found| found.map(|(from, exists)| (a[from], exists)))
                    .collect::<Result<_, String>>()?
            }
            "redux" => {
                let op = it.modifiers.get(1).map_or("", String::as_str);
                let signed = it.ty().is_signed();
                let fold = |x: u64, y: u64| match op {
                    "add" => x.wrapping_add(y) & ones(32),
                    "and" => x & y,
                    "or" => x | y,
                    "xor" => x ^ y,
                    "min" if signed => (x as i32).min(y as i32) as u32 as u64,
                    "max" if signed => (x as i32).max(y as i32) as u32 as u64,
                    "min" => x.min(y),
                    _ => x.max(y),
                };
                if !["add", "and", "or", "xor", "min", "max"].contains(&op) || it.ty().bits() != 32
                {
                    return Err("unknown reduction".to_owned());
                }
                let all = a.iter().copied().reduce(fold).unwrap_or(0);
                vec![(all, true); LANES]
            }
            "match" if it.has("any") => {
                let same = |lane: usize| {
                    (0..LANES).filter(|other| a[*other] == a[lane]).fold(0, |set, it| set | 1 << it)
                };
                (0..LANES).map(|lane| (same(lane), true)).collect()
            }
            _ => return Err("unknown instruction".to_owned()),
        };
        for (thread, (result, exists)) in warp.iter_mut().zip(results) {
            match &it.operands[0] {
                Operand::Register(to) => thread.registers[to.index] = result & ones(to.bits),
                Operand::Pair(to, range) => {
                    thread.registers[to.index] = result & ones(to.bits);
                    thread.registers[range.index] = exists.into();
                }
                _ => return Err("no destination".to_owned()),
            }
        }
        Ok(())
    }

    fn atomic(&mut self, it: &Instruction, thread: &mut Thread) -> Result<(), String> {
        let ty = it.ty();
        let size = ty.bits() as usize / 8;
        let has_result = it.name == "atom";
        let (at, args) = (usize::from(has_result), &it.operands[usize::from(has_result) + 1..]);
        let args: Vec<u64> =
            args.iter().map(|arg| value(thread, arg, ty)).collect::<Result<_, _>>()?;
        let space = it.space.filter(|it| matches!(it, Space::Global | Space::Shared));
        let space = space.ok_or("an atomic operation needs a space")?;
        let old = self.access(space, thread, &it.operands[at], size, Access::Load)?;
        let op = it.modifiers.last().map_or("", String::as_str);
        let signed = ty.is_signed();
        let wide = |value: u64| {
            if signed { (value << (64 - ty.bits())) as i64 >> (64 - ty.bits()) } else { 0 }
        };
        let new = match op {
            "add" => old.wrapping_add(args[0]),
            "and" => old & args[0],
            "or" => old | args[0],
            "xor" => old ^ args[0],
            "exch" if has_result => args[0],
            "cas" if has_result => {
                if old == args[0] {
                    args[1]
                } else {
                    old
                }
            }
            "min" if signed => {
                if wide(args[0]) < wide(old) {
                    args[0]
                } else {
                    old
                }
            }
            "max" if signed => {
                if wide(args[0]) > wide(old) {
                    args[0]
                } else {
                    old
                }
            }
            "min" => old.min(args[0]),
            "max" => old.max(args[0]),
            _ => return Err("unknown atomic operation".to_owned()),
        };
        let store = Access::Store(new & ones(ty.bits()));
        self.access(space, thread, &it.operands[at], size, store)?;
        if let (true, Operand::Register(to)) = (has_result, &it.operands[0]) {
            thread.registers[to.index] = old;
        }
        Ok(())
    }

    /// Reads or writes a scalar.
    fn access(
        &mut self,
        space: Space,
        thread: &mut Thread,
        operand: &Operand,
        size: usize,
        access: Access,
    ) -> Result<u64, String> {
        self.access_at(space, thread, operand, 0, size, size, access)
    }

    #[expect(clippy::too_many_arguments, reason = "an access has so many parts")]
    fn access_at(
        &mut self,
        space: Space,
        thread: &mut Thread,
        operand: &Operand,
        more: usize,
        size: usize,
        aligned: usize,
        access: Access,
    ) -> Result<u64, String> {
        let Operand::Memory(base, offset) = operand else { return Err("no address".to_owned()) };
        let start = match base {
            Base::Register(register) if register.bits == 64 => thread.registers[register.index],
            Base::Register(_) => return Err("an address has 64 bits".to_owned()),
            Base::Name(name) if name == "bindings" && space == Space::Param => 0,
            Base::Name(_) => return Err("unknown array".to_owned()),
        };
        let address = start.wrapping_add(*offset as u64);
        if !address.is_multiple_of(aligned as u64) {
            return Err(format!("{aligned} bytes at address {address:#x}"));
        }
        let address = address + more as u64;
        let at = |bytes: &[u8]| {
            let end = (address as usize).checked_add(size);
            match end.is_some_and(|it| it <= bytes.len()) {
                true => Ok(address as usize),
                false => Err(format!("{size} bytes at {address:#x} of {}", bytes.len())),
            }
        };
        let bytes: &mut [u8] = match space {
            Space::Global => self.global.find(address, size, access)?,
            Space::Shared => {
                let at = at(&self.shared)?;
                &mut self.shared[at..at + size]
            }
            Space::Local => {
                let at = at(&thread.local)?;
                &mut thread.local[at..at + size]
            }
            Space::Param if access == Access::Load => {
                let at = at(self.param)?;
                let mut word = [0; 8];
                word[..size].copy_from_slice(&self.param[at..at + size]);
                return Ok(u64::from_le_bytes(word));
            }
            Space::Param => return Err("a store to the parameter".to_owned()),
        };
        let mut word = [0; 8];
        word[..size].copy_from_slice(bytes);
        if let Access::Store(new) = access {
            bytes.copy_from_slice(&new.to_le_bytes()[..size]);
        }
        Ok(u64::from_le_bytes(word))
    }

    /// One instruction of one thread.
    fn step(&mut self, warp: usize, lane: usize, thread: &mut Thread) -> Result<(), String> {
        let kernel = self.kernel;
        let Some(it) = kernel.code.get(thread.at) else {
            return Err("a thread runs past the end".to_owned());
        };
        self.steps += 1;
        if it.meets {
            thread.state = State::Stopped;
            return Ok(());
        }
        thread.at += 1;
        if !holds(it, thread) {
            return Ok(());
        }
        self.alone(it, warp, lane, thread).map_err(|what| describe(it, &what))
    }

    fn alone(
        &mut self,
        it: &Instruction,
        warp: usize,
        lane: usize,
        thread: &mut Thread,
    ) -> Result<(), String> {
        let ty = it.ty();
        match it.name.as_str() {
            "bra" => {
                let Some(Operand::Label(to)) = it.operands.first() else {
                    return Err("no label".to_owned());
                };
                thread.at = *to;
            }
            "fence" => {}
            "ld" | "st" => {
                let space = it.space.ok_or("no space")?;
                let size = ty.bits() as usize / 8;
                let is_load = it.name == "ld";
                let (moved, at) = match (is_load, it.operands.as_slice()) {
                    (true, [to, at]) => (to, at),
                    (false, [at, from]) => (from, at),
                    _ => return Err("two operands are needed".to_owned()),
                };
                let count = match moved {
                    Operand::Vector(all) => all.len(),
                    _ => 1,
                };
                if it.elements != count {
                    return Err("the vector has another length".to_owned());
                }
                for number in 0..count {
                    let one = match moved {
                        Operand::Vector(all) => &Operand::Register(all[number]),
                        other => other,
                    };
                    let (more, aligned) = (number * size, size * count);
                    if is_load {
                        let Operand::Register(to) = *one else {
                            return Err("no destination".to_owned());
                        };
                        if to.bits < ty.bits() {
                            return Err("the register is too small".to_owned());
                        }
                        let access = match it.has("nc") {
                            true => Access::ReadOnly,
                            false => Access::Load,
                        };
                        let loaded =
                            self.access_at(space, thread, at, more, size, aligned, access)?;
                        let loaded = match ty.is_signed() {
                            true => {
                                ((loaded << (64 - ty.bits())) as i64 >> (64 - ty.bits())) as u64
                            }
                            false => loaded,
                        };
                        thread.registers[to.index] = loaded & ones(to.bits);
                    } else {
                        let stored = match one {
                            // A register may be wider than what is stored.
                            Operand::Register(from) if from.bits >= ty.bits() => {
                                thread.registers[from.index] & ones(ty.bits())
                            }
                            Operand::Register(_) => {
                                return Err("the register is too small".to_owned());
                            }
                            other => value(thread, other, ty)?,
                        };
                        let access = Access::Store(stored);
                        self.access_at(space, thread, at, more, size, aligned, access)?;
                    }
                }
            }
            "mov" => self.moved(it, warp, lane, thread)?,
            _ => {
                let Some((to, args)) = it.operands.split_first() else {
                    return Err("no operands".to_owned());
                };
                let Operand::Register(to) = to else { return Err("no destination".to_owned()) };
                let mut all = [0; MOST_ARGUMENTS];
                let Some(places) = all.get_mut(..args.len()) else {
                    return Err("too many operands".to_owned());
                };
                for ((place, arg), ty) in places.iter_mut().zip(args).zip(&it.arguments) {
                    *place = value(thread, arg, *ty)?;
                }
                if to.bits != it.result {
                    return Err(format!("the destination has {} bits", to.bits));
                }
                thread.registers[to.index] = compute(it, &all[..args.len()])?;
            }
        }
        Ok(())
    }

    fn moved(
        &self,
        it: &Instruction,
        warp: usize,
        lane: usize,
        thread: &mut Thread,
    ) -> Result<(), String> {
        let [to, from] = it.operands.as_slice() else {
            return Err("two operands are needed".to_owned());
        };
        let moved = match from {
            Operand::Name(name) => match name.as_str() {
                "groupshared" | "privates" => 0,
                "%tid.x" => (warp * LANES + lane) as u64,
                "%ctaid.x" => self.group[0].into(),
                "%ctaid.y" => self.group[1].into(),
                "%ctaid.z" => self.group[2].into(),
                "%laneid" => lane as u64,
                "%lanemask_eq" => 1 << lane,
                "%lanemask_lt" => (1 << lane) - 1,
                "%lanemask_le" => (2 << lane) - 1,
                "%lanemask_gt" => ones(32) & !((2 << lane) - 1),
                "%lanemask_ge" => ones(32) & !((1 << lane) - 1),
                _ => return Err(format!("unknown name `{name}`")),
            },
            Operand::Vector(parts) => match parts.as_slice() {
                [low, high] if low.bits == 32 && high.bits == 32 => {
                    thread.registers[low.index] | thread.registers[high.index] << 32
                }
                _ => return Err("a pair of words is needed".to_owned()),
            },
            other => value(thread, other, it.ty())?,
        };
        match to {
            Operand::Register(to) if to.bits == it.ty().bits() => {
                thread.registers[to.index] = moved & ones(to.bits);
            }
            Operand::Vector(parts) => match parts.as_slice() {
                [low, high] if low.bits == 32 && high.bits == 32 => {
                    thread.registers[low.index] = moved & ones(32);
                    thread.registers[high.index] = moved >> 32;
                }
                _ => return Err("a pair of words is needed".to_owned()),
            },
            _ => return Err("no destination of that size".to_owned()),
        }
        Ok(())
    }
}

/// The lane that a shuffle reads, and whether it is in range.
fn source(mode: &str, lane: i64, b: u64, c: u64) -> Result<(usize, bool), String> {
    let (by, limit, segments) = ((b & 31) as i64, (c & 31) as i64, (c >> 8 & 31) as i64);
    let most = (lane & segments) | (limit & !segments);
    let least = lane & segments;
    let (from, exists) = match mode {
        "up" => (lane - by, lane - by >= most),
        "bfly" => (lane ^ by, lane ^ by <= most),
        "idx" => {
            let from = least | (by & !segments);
            (from, from <= most)
        }
        _ => return Err("unknown shuffle".to_owned()),
    };
    Ok(((if exists { from } else { lane }) as usize, exists))
}

fn describe(it: &Instruction, what: &str) -> String {
    format!("line {}: {what}: `{}`", it.line, it.text)
}

fn holds(it: &Instruction, thread: &Thread) -> bool {
    match it.guard {
        None => true,
        Some((Register { index, .. }, negated)) => (thread.registers[index] & 1 == 1) != negated,
    }
}

/// The value of an operand of an instruction type.
fn value(thread: &Thread, operand: &Operand, ty: Type) -> Result<u64, String> {
    match operand {
        Operand::Register(register) => {
            let is_vote = ty == Type::Bits(32) && register.bits == 1;
            if register.bits != ty.bits() && !is_vote {
                return Err(format!("an operand has {} bits, not {}", register.bits, ty.bits()));
            }
            Ok(thread.registers[register.index] & ones(register.bits))
        }
        Operand::Constant(bits) if ty.bits() > 16 || !ty.is_float() => Ok(bits & ones(ty.bits())),
        _ => Err("unknown operand".to_owned()),
    }
}
