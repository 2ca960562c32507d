//! `wavelane merge`: joins the reports that parts of a test run wrote, in any of the forms of a report.

use std::collections::BTreeMap;

use crate::args::Args;
use crate::files::read_source;
use crate::problem::{Exit, Problem};
use crate::{End, terminal, test};

pub(crate) fn merge(args: &Args) -> Result<Exit, End> {
    if args.operands.is_empty() {
        return Err(Problem::input("`wavelane merge` needs FILE…")
            .help("reports that `wavelane test --format json` wrote")
            .into());
    }
    let mut records = BTreeMap::new();
    for file in &args.operands {
        let (name, text) = read_source(file)?;
        for record in test::read_lines(&name, &text)? {
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
    test::write(&records, &known, args.test.format, &mut terminal::out())?;
    Ok(test::exit(&records, &known))
}
