//! What a campaign runs: the product of programs, widths, orders and engines, numbered without being listed.

/// A campaign's axes. No list is empty, except that there may be no tests or no generated programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// How many generated programs there are, and their seed.
    pub fuzz: u64,
    pub seed: u64,
    /// Tests by their names: `FILE` or `FILE::CASE`.
    pub tests: Vec<String>,
    pub widths: Vec<u32>,
    /// As `wavelane san --orders` spells them; empty for the canonical order.
    pub orders: Vec<String>,
    pub engines: Vec<String>,
}

/// What a unit runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// The generated program of that number.
    Fuzz {
        seed: u64,
        program: u64,
    },
    Test(String),
}

/// One run of a campaign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    pub work: Work,
    pub width: u32,
    /// Empty for the canonical order.
    pub order: String,
    pub engine: String,
}

impl Plan {
    /// How many units there are; `None` beyond 2^64.
    pub fn len(&self) -> Option<u64> {
        let axes = [self.widths.len(), self.orders.len(), self.engines.len()];
        let programs = self.fuzz.checked_add(self.tests.len() as u64)?;
        axes.iter().try_fold(programs, |all, it| all.checked_mul(*it as u64))
    }

    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// The unit of a number below [`Plan::len`].
    pub fn unit(&self, number: u64) -> Unit {
        let mut rest = number;
        let mut next = |count: usize| {
            let index = rest % count as u64;
            rest /= count as u64;
            index as usize
        };
        let engine = self.engines[next(self.engines.len())].clone();
        let order = self.orders[next(self.orders.len())].clone();
        let width = self.widths[next(self.widths.len())];
        let work = match rest.checked_sub(self.fuzz) {
            None => Work::Fuzz { seed: self.seed, program: rest },
            Some(test) => Work::Test(self.tests[test as usize].clone()),
        };
        Unit { work, width, order, engine }
    }
}

impl std::fmt::Display for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.work {
            Work::Fuzz { seed, program } => write!(f, "fuzz {seed}/{program}")?,
            Work::Test(name) => write!(f, "test {name}")?,
        }
        write!(f, " @w{}", self.width)?;
        if !self.order.is_empty() {
            write!(f, " {}", self.order)?;
        }
        write!(f, " engine={}", self.engine)
    }
}

impl Unit {
    /// Reads what [`Unit`]'s `Display` writes.
    pub fn parse(text: &str) -> Option<Unit> {
        let (rest, engine) = text.rsplit_once(" engine=")?;
        let (what, rest) = rest.rsplit_once(" @w")?;
        let (width, order) = rest.split_once(' ').unwrap_or((rest, ""));
        let work = match what.split_once(' ')? {
            ("fuzz", numbers) => {
                let (seed, program) = numbers.split_once('/')?;
                Work::Fuzz { seed: seed.parse().ok()?, program: program.parse().ok()? }
            }
            ("test", name) => Work::Test(name.to_owned()),
            _ => return None,
        };
        let (order, engine) = (order.to_owned(), engine.to_owned());
        Some(Unit { work, width: width.parse().ok()?, order, engine })
    }
}
