//! What a campaign runs: the product of programs, widths, orders and engines, numbered without being listed.
//!
//! A unit's text is its name in ledgers, so it has everything that decides the result: what programs are generated
//! from, and a digest of a test. It leaves out limits, such as the attempts of a reduction, and the version of
//! wavelane.

use std::collections::BTreeMap;

/// A campaign's axes. No list is empty, except that there may be no tests or no generated programs, and none names
/// anything twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// How many generated programs there are, and their seed.
    pub fuzz: u64,
    pub seed: u64,
    /// The shader model of generated programs; empty for the default one.
    pub model: String,
    /// The stage of generated programs; empty for compute shaders.
    pub stage: String,
    pub tests: Vec<Test>,
    pub widths: Vec<u32>,
    /// As `wavelane san --orders` spells them; empty for the canonical order.
    pub orders: Vec<String>,
    pub engines: Vec<String>,
}

/// A test in a state of its file.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Test {
    /// `FILE` or `FILE::CASE`.
    pub name: String,
    /// The digest of what is run, in [`TEXT_DIGITS`] digits.
    pub text: String,
}

/// The digits of the digest of a test.
pub const TEXT_DIGITS: usize = 16;

/// What a unit runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// The generated program of that number.
    Fuzz {
        seed: u64,
        program: u64,
        /// As in [`Plan::model`].
        model: String,
        /// As in [`Plan::stage`].
        stage: String,
    },
    Test(Test),
}

/// One run of a campaign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    pub work: Work,
    pub width: u32,
    /// Empty for the canonical order.
    pub order: String,
    pub engine: String,
    /// The GPU that ran it, with its driver; empty in a plan, which does not know it, and for other engines.
    pub device: String,
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
            None => Work::Fuzz {
                seed: self.seed,
                program: rest,
                model: self.model.clone(),
                stage: self.stage.clone(),
            },
            Some(test) => Work::Test(self.tests[test as usize].clone()),
        };
        Unit { work, width, order, engine, device: String::new() }
    }

    /// The inverse of [`Plan::unit`].
    pub fn numbers(&self) -> Numbers<'_> {
        let tests = self.tests.iter().enumerate().map(|(index, it)| (it, index as u64)).collect();
        Numbers { plan: self, tests }
    }
}

/// The numbers of a plan's units, computed as the units are: a plan of any length takes no memory.
#[derive(Clone, Debug)]
pub struct Numbers<'a> {
    plan: &'a Plan,
    tests: BTreeMap<&'a Test, u64>,
}

impl Numbers<'_> {
    /// The number of a unit, on whatever device it was run. `None` if the plan does not have it.
    pub fn of(&self, unit: &Unit) -> Option<u64> {
        let Plan { fuzz, seed, model, stage, widths, orders, engines, .. } = self.plan;
        let program = match &unit.work {
            Work::Fuzz { seed: of, program, model: by, stage: at } => {
                let is_of_plan = of == seed && by == model && at == stage;
                (is_of_plan && program < fuzz).then_some(*program)?
            }
            Work::Test(test) => fuzz + self.tests.get(test)?,
        };
        let width = widths.iter().position(|it| *it == unit.width)?;
        let order = orders.iter().position(|it| *it == unit.order)?;
        let engine = engines.iter().position(|it| *it == unit.engine)?;
        let axes = [(width, widths.len()), (order, orders.len()), (engine, engines.len())];
        Some(axes.iter().fold(program, |number, (at, count)| number * *count as u64 + *at as u64))
    }
}

impl std::fmt::Display for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.work {
            Work::Fuzz { seed, program, model, stage } => {
                write!(f, "fuzz {seed}/{program}")?;
                if !stage.is_empty() {
                    write!(f, " stage={stage}")?;
                }
                if !model.is_empty() {
                    write!(f, " model={model}")?;
                }
            }
            Work::Test(Test { name, text }) => write!(f, "test {name} text={text}")?,
        }
        write!(f, " @w{}", self.width)?;
        if !self.order.is_empty() {
            write!(f, " {}", self.order)?;
        }
        write!(f, " engine={}", self.engine)?;
        if !self.device.is_empty() {
            write!(f, " device={}", self.device)?;
        }
        Ok(())
    }
}

impl Unit {
    /// Reads what [`Unit`]'s `Display` writes. A test without a digest, as in the ledgers of older versions, is none.
    pub fn parse(text: &str) -> Option<Unit> {
        let (text, device) = text.rsplit_once(" device=").unwrap_or((text, ""));
        let (rest, engine) = text.rsplit_once(" engine=")?;
        let (what, rest) = rest.rsplit_once(" @w")?;
        let (width, order) = rest.split_once(' ').unwrap_or((rest, ""));
        let work = match what.split_once(' ')? {
            ("fuzz", rest) => {
                let (rest, model) = rest.split_once(" model=").unwrap_or((rest, ""));
                let (numbers, stage) = rest.split_once(" stage=").unwrap_or((rest, ""));
                let (seed, program) = numbers.split_once('/')?;
                let (seed, program) = (seed.parse().ok()?, program.parse().ok()?);
                let [model, stage] = [model, stage].map(str::to_owned);
                Work::Fuzz { seed, program, model, stage }
            }
            ("test", rest) => {
                let (name, text) = rest.rsplit_once(" text=")?;
                Work::Test(Test { name: name.to_owned(), text: text.to_owned() })
            }
            _ => return None,
        };
        let [order, engine, device] = [order, engine, device].map(str::to_owned);
        Some(Unit { work, width: width.parse().ok()?, order, engine, device })
    }
}
