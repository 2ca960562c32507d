//! List scheduling by latency, in blocks with divisions and square roots.
//!
//! These take some twenty cycles. What waits for them fills the scheduler of an out-of-order processor, which then does
//! not reach the independent instructions behind. So the next one is always the one that can begin first, and among
//! these the one with the longest path to the end of the block (the critical path). Where registers are scarce, the one
//! that leaves most of them comes first.
//!
//! The model is that of Intel's processors since Ice Lake with vectors of 64 bytes: two of their instructions begin in
//! a cycle, and one divider works for several. Times are in half cycles, so that each instruction takes one to begin.
//!
//! Deliberately absent: single ports, caches, and what other blocks do meanwhile.

use std::cmp::Reverse;

use iced_x86::Code;
use smallvec::SmallVec;

use crate::machine::{NONE, Op, Placed, X86};
use crate::schedule::{WIDE, is_free, kind, room};

/// How far an instruction may overtake others.
// PERF: with 48 to 256, the scene `lit` of `benches/draws` takes the same time.
const WINDOW: usize = 64;

/// The instructions for which an instruction waits, and those that wait for it.
#[derive(Clone, Default)]
struct Node {
    /// The instructions that define its operands, each once.
    makers: SmallVec<[u32; 4]>,
    /// The instructions that wait for this one.
    after: SmallVec<[u32; 4]>,
    /// The number of instructions that this one waits for, before any is placed.
    before: u32,
    /// The time from its beginning to the end of the block, at least.
    height: u32,
    /// When its operands are there.
    ready: u32,
    /// The number of instructions that still read its result; one more if the result is used outside the block.
    uses: u32,
}

/// The order of a block to which this [`applies`]; `None` where the order stays.
///
/// `maker` has the instruction of this block that defines a register, and `count` the number of uses of each register
/// in the function.
pub(crate) fn order(body: &[Placed], maker: &[u32], count: &[u32]) -> Option<Vec<u32>> {
    let last = body.len() as u32 - 1;
    let list = List::new(body, maker, count);
    let before = list.clone().peak(0..last);
    let mut order = list.clone().schedule();
    let after = list.peak(order.iter().copied());
    order.push(last);
    let fits = |kind: usize| after[kind] <= before[kind].max(room(WIDE)[kind]);
    (fits(0) && fits(1)).then_some(order)
}

/// Whether a block can be ordered by latency, and has what takes long.
pub(crate) fn applies(body: &[Placed]) -> bool {
    // The last one jumps.
    body.split_last().is_some_and(|(_, rest)| {
        rest.iter().any(|it| times(*it).divider > 0)
            && rest.iter().all(|it| matches!(it.op, Op::X86(_)))
    })
}

/// The cycles that an instruction takes.
#[derive(Default)]
struct Times {
    /// From its beginning to its result.
    latency: u32,
    /// The time for which it occupies the divider.
    divider: u32,
}

fn times(it: Placed) -> Times {
    let Op::X86(X86 { code, .. }) = it.op else { return Times::default() };
    let (latency, divider) = match code {
        Code::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er => (17, 10),
        Code::EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er => (24, 16),
        Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er => (19, 12),
        Code::EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er => (31, 24),
        Code::EVEX_Vrsqrt14ps_zmm_k1z_zmmm512b32 => (7, 0),
        _ => (4, 0),
    };
    Times { latency: 2 * latency, divider: 2 * divider }
}

/// The instructions of a block without its jump, some of which have been placed.
#[derive(Clone)]
struct List<'a> {
    body: &'a [Placed<'a>],
    nodes: Vec<Node>,
    /// The vectors and masks that are live.
    live: [usize; 2],
}

impl<'a> List<'a> {
    fn new(whole: &'a [Placed<'a>], maker: &[u32], count: &[u32]) -> List<'a> {
        let body = &whole[..whole.len() - 1];
        let mut list = List { body, nodes: vec![Node::default(); body.len()], live: [0; 2] };
        let mut uses = vec![0; body.len()];
        for register in whole.iter().copied().flat_map(Placed::reads) {
            if let Some(uses) = uses.get_mut(maker[register.vreg()] as usize) {
                *uses += 1;
            }
        }
        let mut last_effect = None;
        for (at, it) in (0..).zip(body) {
            let of = it.reads().map(|it| maker[it.vreg()]).filter(|it| *it != NONE);
            let mut makers: SmallVec<[u32; 4]> = of.collect();
            makers.sort_unstable();
            makers.dedup();
            // Effects keep their order.
            let effect = if is_free(*it) { None } else { last_effect.replace(at) };
            let effect = effect.filter(|it| !makers.contains(it));
            for before in effect.iter().chain(&makers) {
                list.nodes[*before as usize].after.push(at);
                list.nodes[at as usize].before += 1;
            }
            for maker in &makers {
                list.nodes[*maker as usize].uses += 1;
            }
            list.nodes[at as usize].makers = makers;
        }
        for (at, it) in body.iter().enumerate().rev() {
            let after = list.nodes[at].after.iter().map(|it| list.nodes[*it as usize].height);
            list.nodes[at].height = times(*it).latency + after.max().unwrap_or(0);
            if it.made().is_some_and(|made| count[made.vreg()] > uses[at]) {
                list.nodes[at].uses += 1;
            }
        }
        // Values from other blocks stay live.
        let mut outer: Vec<_> = whole
            .iter()
            .copied()
            .flat_map(Placed::reads)
            .filter(|it| maker[it.vreg()] == NONE)
            .collect();
        outer.sort_unstable();
        outer.dedup();
        outer.into_iter().filter_map(|it| kind(it.class())).for_each(|it| list.live[it] += 1);
        list
    }

    /// By how much an instruction changes the number of live registers of each kind.
    fn change(&self, at: u32) -> [isize; 2] {
        let mut change = [0; 2];
        let kind_of = |at: u32| self.body[at as usize].made().and_then(|it| kind(it.class()));
        if let Some(kind) = kind_of(at) {
            change[kind] += 1;
        }
        for maker in &self.nodes[at as usize].makers {
            if let (1, Some(kind)) = (self.nodes[*maker as usize].uses, kind_of(*maker)) {
                change[kind] -= 1;
            }
        }
        change
    }

    /// Places an instruction; the numbers of live registers are those after it.
    fn place(&mut self, at: u32) {
        let change = self.change(at);
        for (live, change) in self.live.iter_mut().zip(change) {
            *live = live.saturating_add_signed(change);
        }
        for i in 0..self.nodes[at as usize].makers.len() {
            let maker = self.nodes[at as usize].makers[i];
            self.nodes[maker as usize].uses -= 1;
        }
    }

    /// The most live registers of each kind in an order.
    fn peak(mut self, order: impl Iterator<Item = u32>) -> [usize; 2] {
        let mut peak = self.live;
        for at in order {
            self.place(at);
            peak = [0, 1].map(|kind| peak[kind].max(self.live[kind]));
        }
        peak
    }

    fn schedule(mut self) -> Vec<u32> {
        let all = 0..self.nodes.len() as u32;
        let mut open: Vec<u32> = all.filter(|it| self.nodes[*it as usize].before == 0).collect();
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut placed = vec![false; self.nodes.len()];
        let (mut now, mut divider_free, mut oldest) = (0, 0, 0);
        while !open.is_empty() {
            while placed[oldest] {
                oldest += 1;
            }
            let scarce = [0, 1].map(|kind| self.live[kind] >= room(WIDE)[kind]);
            let begin = |at: u32| {
                let node = &self.nodes[at as usize];
                let divides = times(self.body[at as usize]).divider > 0;
                let free = if divides { divider_free } else { 0 };
                node.ready.max(free).max(now)
            };
            let growth = |at: u32| -> isize {
                let change = if scarce == [false; 2] { [0; 2] } else { self.change(at) };
                (0..2).filter(|it| scarce[*it]).map(|it| change[it]).sum()
            };
            let key =
                |at: u32| (growth(at), begin(at), Reverse(self.nodes[at as usize].height), at);
            let near = open.iter().copied().filter(|it| *it as usize <= oldest + WINDOW);
            let Some(at) = near.min_by_key(|it| key(*it)) else {
                unreachable!("the oldest instruction waits for none")
            };
            let start = begin(at);
            let Times { latency, divider } = times(self.body[at as usize]);
            if divider > 0 {
                divider_free = start + divider;
            }
            now = start + 1;
            self.place(at);
            placed[at as usize] = true;
            order.push(at);
            open.retain(|it| *it != at);
            let result = start + latency;
            for after in std::mem::take(&mut self.nodes[at as usize].after) {
                let node = &mut self.nodes[after as usize];
                node.ready = node.ready.max(result);
                node.before -= 1;
                if node.before == 0 {
                    open.push(after);
                }
            }
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er as ADD;
    use Code::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er as DIVIDE;
    use Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm as STORE;
    use regalloc2::VReg;

    use super::*;
    use crate::machine::{Instructions, VECTOR};

    fn vector(number: usize) -> VReg {
        VReg::new(number, VECTOR)
    }

    /// Chains of a quotient and sums that wait for it, one after the other, each with a store; the registers from 500
    /// on come from other blocks.
    fn chains(count: usize, sums: usize) -> Instructions {
        let mut all = Instructions::default();
        for number in 0..count {
            let (first, last) = (number * (sums + 1), number * (sums + 1) + sums);
            all.add(DIVIDE, Some(vector(first)), &[vector(500 + number), vector(500)]);
            for sum in first + 1..=last {
                all.add(ADD, Some(vector(sum)), &[vector(sum - 1), vector(500)]);
            }
            all.add(STORE, None, &[vector(last)]);
        }
        all.push(Op::Jump);
        all
    }

    fn ordered(all: &Instructions) -> Option<Vec<u32>> {
        let body: Vec<Placed> = (0..all.len() as u32).map(|it| all.at(it)).collect();
        let (mut maker, mut count) = (vec![NONE; 1000], vec![0; 1000]);
        for (at, it) in (0..).zip(&body) {
            it.made().into_iter().for_each(|it| maker[it.vreg()] = at);
            it.reads().for_each(|it| count[it.vreg()] += 1);
        }
        if applies(&body) { order(&body, &maker, &count) } else { None }
    }

    #[test]
    fn quotients_begin_before_what_waits_for_them() {
        let body = chains(4, 6);
        let order = ordered(&body).unwrap();
        let place = |at: usize| order.iter().position(|it| *it == at as u32).unwrap();
        let length = body.len() / 4;
        for quotient in (0..3).map(|it| it * length) {
            assert!(place(quotient + length) < place(quotient + 2), "{order:?}");
        }
    }

    #[test]
    fn operands_come_first_and_effects_keep_their_order() {
        let body = chains(7, 5);
        let order = ordered(&body).unwrap();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..body.len() as u32).collect::<Vec<_>>());
        let mut there: Vec<usize> = (500..600).collect();
        for at in &order {
            assert!(body.at(*at).reads().all(|it| there.contains(&it.vreg())), "{order:?}");
            there.extend(body.at(*at).made().map(|it| it.vreg()));
        }
        let effects: Vec<_> = order.iter().filter(|it| !is_free(body.at(**it))).collect();
        assert!(effects.is_sorted(), "{order:?}");
    }

    #[test]
    fn no_more_registers_are_live_than_there_are() {
        // Quotients that all begin at once would need a register each.
        let body = chains(60, 1);
        let order = ordered(&body).unwrap();
        let (mut live, mut most) = (0isize, 0);
        for at in &order {
            live += isize::from(body.at(*at).made().is_some());
            most = most.max(live);
            live -= body.at(*at).reads().filter(|it| it.vreg() < 500).count() as isize;
        }
        assert!(most <= WIDE as isize, "{most}");
    }

    #[test]
    fn blocks_without_the_divider_stay() {
        let mut body = Instructions::default();
        body.add(ADD, Some(vector(0)), &[vector(500), vector(501)]);
        body.add(STORE, None, &[vector(0)]);
        body.push(Op::Jump);
        assert_eq!(ordered(&body), None);
    }
}
