//! The two target instruction sets, and whether this host supports them.

/// An instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// Vectors of 512 bits with mask registers: F, BW, DQ, VL, CD and BMI2.
    Avx512,
    /// Vectors of 256 bits, masks held in vectors, BMI2.
    Avx2,
}

impl Isa {
    /// Both, the better one first.
    pub const ALL: [Isa; 2] = [Isa::Avx512, Isa::Avx2];

    /// The name on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Avx512 => "avx512",
            Isa::Avx2 => "avx2",
        }
    }

    /// What this host lacks for it; `None` if it can run.
    pub fn missing(self) -> Option<&'static str> {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            let basic =
                has!("avx2") && has!("bmi1") && has!("bmi2") && has!("popcnt") && has!("lzcnt");
            let wide = has!("avx512f")
                && has!("avx512bw")
                && has!("avx512dq")
                && has!("avx512vl")
                && has!("avx512cd");
            match self {
                Isa::Avx2 if !basic => Some("the processor has no AVX2 or BMI2"),
                Isa::Avx512 if !basic || !wide => {
                    Some("the processor has no AVX-512 (F, BW, DQ, VL, CD)")
                }
                Isa::Avx2 | Isa::Avx512 if crate::code::is_refused() => {
                    Some("the system refuses executable memory")
                }
                Isa::Avx2 | Isa::Avx512 => None,
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        Some("machine code is generated only for x86-64")
    }

    /// The better one of those that this host supports.
    pub fn best() -> Option<Isa> {
        Isa::ALL.into_iter().find(|it| it.missing().is_none())
    }

    /// Words in a vector: the lanes of a chunk.
    pub(crate) fn lanes(self) -> usize {
        match self {
            Isa::Avx512 => 16,
            Isa::Avx2 => 8,
        }
    }

    pub(crate) fn vector_bytes(self) -> usize {
        4 * self.lanes()
    }
}
