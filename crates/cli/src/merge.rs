//! `wavelane merge`: joins the reports that parts of a test run wrote, in any of the forms of a report.

use std::collections::BTreeMap;

use crate::asked::LowArgs;
use crate::asked::Output;
use crate::files::read_source;
use crate::problem::{End, Exit, Problem};
use crate::{report, terminal};

/// What `merge` needs.
pub(crate) struct MergeArgs {
    files: Vec<String>,
    output: Output,
}

impl MergeArgs {
    pub(crate) fn new(low: LowArgs) -> Result<MergeArgs, Problem> {
        if low.operands.is_empty() {
            return Err(Problem::input("`wavelane merge` needs FILE…")
                .help("reports that `wavelane test --format json` wrote"));
        }
        Ok(MergeArgs { files: low.operands, output: low.output })
    }
}

pub(crate) fn merge(args: &MergeArgs) -> Result<Exit, End> {
    let mut records = BTreeMap::new();
    for file in &args.files {
        let (name, text) = read_source(file)?;
        for record in report::read_lines(&name, &text)? {
            let key = (record.test.clone(), record.outcome.width);
            if let Some(other) = records.insert(key, record.clone())
                && other != record
            {
                let what = format!("{name}: `{}` ends differently in another report", record.id());
                return Err(Problem::input(what).into());
            }
        }
    }
    let records: Vec<_> = records.into_values().collect();
    let known = Default::default();
    report::write(&records, &known, args.output, &mut terminal::out())?;
    Ok(report::exit(&records, &known))
}
