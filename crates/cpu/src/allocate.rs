//! Register allocation: the machine registers, and the call of `regalloc2`.
//!
//! Its default algorithm assigns registers to whole live ranges, in time that is quadratic or cubic in the number of
//! values that are live across many blocks. Such functions, which are never hand-written, get the linear algorithm,
//! which keeps no value in a register across blocks. Long straight-line code is left to `local`.

use regalloc2::{
    Algorithm, Ctx, MachineEnv, Output, PReg, PRegSet, RegAllocError, RegClass, RegallocOptions,
};

use crate::budget;
use crate::isa::Isa;
use crate::local::{self, Allocated};
use crate::machine::{Function, GENERAL, MASK, Op, VECTOR};

/// rax is left to the encoder, rsp is the stack, r15 the frame.
pub(crate) const SAVED_BY_CALLER: [usize; 8] = [1, 2, 6, 7, 8, 9, 10, 11];
const SAVED_BY_CALLEE: [usize; 5] = [3, 5, 12, 13, 14];

fn set(class: RegClass, numbers: impl IntoIterator<Item = usize>) -> PRegSet {
    let mut set = PRegSet::empty();
    numbers.into_iter().for_each(|it| set.add(PReg::new(it, class)));
    set
}

/// The encoder copies the masks of gathers and scatters into the last vector of AVX2, or into k7: without these
/// instructions, both are free.
fn vectors(isa: Isa, spends_masks: bool) -> PRegSet {
    match isa {
        Isa::Avx512 => set(VECTOR, 0..32),
        Isa::Avx2 => set(VECTOR, 0..if spends_masks { 15 } else { 16 }),
    }
}

/// k0 cannot be a mask.
fn masks(spends_masks: bool) -> PRegSet {
    set(MASK, 1..if spends_masks { 7 } else { 8 })
}

/// The registers that a call into the runtime clobbers.
pub(crate) fn saved_by_calls(isa: Isa) -> PRegSet {
    let mut all = set(GENERAL, SAVED_BY_CALLER);
    all.union_from(vectors(isa, false));
    all.union_from(masks(false));
    all
}

/// Every register that can hold a value.
pub(crate) fn everything(isa: Isa) -> PRegSet {
    let mut all = saved_by_calls(isa);
    all.union_from(set(GENERAL, SAVED_BY_CALLEE));
    all
}

/// The places of all operands, and the segments with their registers.
pub(crate) fn allocate(
    function: &Function,
    isa: Isa,
    live_ranges: u64,
) -> Result<(Output, Vec<Allocated>), RegAllocError> {
    let none = PRegSet::empty();
    let within = function.segments.iter().flat_map(|it| &it.body);
    let mut all = function.order.iter().chain(within).map(|it| function.instructions.op(*it));
    let spends = all.any(|op| matches!(op, Op::X86(it) if it.spends_mask));
    let env = MachineEnv {
        preferred_regs_by_class: [
            set(GENERAL, SAVED_BY_CALLER),
            vectors(isa, spends),
            masks(spends),
        ],
        non_preferred_regs_by_class: [set(GENERAL, SAVED_BY_CALLEE), none, none],
        scratch_by_class: [None; 3],
        fixed_stack_slots: Vec::new(),
    };
    let options = RegallocOptions {
        verbose_log: false,
        validate_ssa: cfg!(debug_assertions),
        algorithm: match live_ranges {
            ..=budget::MOST_LIVE_RANGES => Algorithm::Ion,
            _ => Algorithm::Fastalloc,
        },
    };
    let mut context = Ctx::default();
    regalloc2::run_with_ctx(function, &env, &options, &mut context)?;
    let mut output = context.output;
    #[cfg(debug_assertions)]
    if is_checked(live_ranges) {
        let mut checker = regalloc2::checker::Checker::new(function, &env);
        checker.prepare(&output);
        if let Err(errors) = checker.run() {
            unreachable!(
                "the allocation keeps every value where it is read: {errors:?}\n{function:?}\n{output:?}"
            );
        }
    }
    let registers = [0, 1, 2].map(|class| {
        let mut all = env.preferred_regs_by_class[class];
        all.union_from(env.non_preferred_regs_by_class[class]);
        all
    });
    let segments = local::allocate(function, &registers, &mut output);
    Ok((output, segments))
}

/// Whether a symbolic checker verifies the allocation. It takes eight times as long as the allocator for the programs
/// of the suite, so it verifies all small functions, and one in sixteen of the others except the largest.
#[cfg(debug_assertions)]
fn is_checked(live_ranges: u64) -> bool {
    const SMALL: u64 = 250;
    live_ranges <= SMALL
        || live_ranges <= budget::MOST_LIVE_RANGES / 4 && live_ranges.is_multiple_of(16)
}
