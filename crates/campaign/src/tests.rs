//! Units, ledgers, and reports that do not depend on how units were dealt.

use super::*;

fn plan() -> Plan {
    Plan {
        fuzz: 5,
        seed: 7,
        model: "6.10".to_owned(),
        stage: String::new(),
        tests: vec![Test {
            name: "a b.test::case".to_owned(),
            text: "0123456789abcdef".to_owned(),
        }],
        widths: vec![4, 32],
        orders: vec![String::new(), "waves=descending".to_owned()],
        engines: vec!["interp".to_owned(), "cpu:avx2".to_owned()],
    }
}

fn record(unit: &Unit) -> Record {
    let mut record = Record::new(unit.to_string(), Outcome::Agrees);
    record.digest = Some(digest(record.unit.as_bytes()));
    if unit.width == 32 && unit.engine == "interp" && unit.order.is_empty() {
        record.outcome = Outcome::Miscompiles;
        record.signature = Some("WaveActiveSum <uint> in \"if\"".to_owned());
        record.detail = Some("`Log[3]` is 4, not 5".to_owned());
    }
    record
}

#[test]
fn each_number_is_another_unit_and_its_text_says_everything() {
    let plan = plan();
    assert_eq!(plan.len(), Some(48));
    let mut seen = std::collections::BTreeSet::new();
    for number in 0..48 {
        let mut unit = plan.unit(number);
        assert_eq!(plan.numbers().of(&unit), Some(number));
        assert_eq!(Unit::parse(&unit.to_string()), Some(unit.clone()));
        assert!(seen.insert(unit.to_string()));
        unit.device = "NVIDIA-H200/580.159".to_owned();
        assert_eq!(Unit::parse(&unit.to_string()), Some(unit.clone()));
        assert_eq!(plan.numbers().of(&unit), Some(number));
    }
    assert!(seen.contains("fuzz 7/4 model=6.10 @w32 waves=descending engine=cpu:avx2"), "{seen:?}");
    assert!(seen.contains("test a b.test::case text=0123456789abcdef @w4 engine=interp"));
    for text in [
        "",
        "fuzz 1 @w4 engine=cpu",
        "fuzz 1/2 @wx engine=cpu",
        "other 1/2 @w4 engine=c",
        "test a.test @w4 engine=cpu",
    ] {
        assert_eq!(Unit::parse(text), None, "{text}");
    }
    let other = Plan { model: String::new(), ..plan.clone() };
    assert_eq!(other.unit(0).to_string(), "fuzz 7/0 @w4 engine=interp");
    assert_eq!(plan.numbers().of(&other.unit(0)), None);
    let drawn = Plan { stage: "pixel".to_owned(), ..plan.clone() };
    let unit = drawn.unit(0);
    assert_eq!(unit.to_string(), "fuzz 7/0 stage=pixel model=6.10 @w4 engine=interp");
    assert_eq!(Unit::parse(&unit.to_string()), Some(unit.clone()));
    assert_eq!((drawn.numbers().of(&unit), plan.numbers().of(&unit)), (Some(0), None));
    for text in ["fuzz 7/5 model=6.10 @w4 engine=interp", "fuzz 7/0 model=6.10 @w8 engine=interp"] {
        assert_eq!(plan.numbers().of(&Unit::parse(text).unwrap()), None, "{text}");
    }
    let endless = Plan { fuzz: u64::MAX, ..plan };
    assert_eq!(endless.len(), None);
}

/// Even programs have a branch.
fn constructs(work: &Work) -> Vec<&'static str> {
    match work {
        Work::Fuzz { program, .. } if program % 2 == 0 => vec!["if"],
        Work::Fuzz { .. } | Work::Test(_) => Vec::new(),
    }
}

#[test]
fn reports_do_not_depend_on_order_and_doubles() {
    let plan = plan();
    let records: Vec<Record> = (0..48).map(|it| record(&plan.unit(it))).collect();
    let forwards = Merged::new(records.clone());
    let again = records.iter().rev().chain(&records).cloned();
    let backwards = Merged::new(again);
    let all = |it: &Merged| {
        [
            text(it),
            json(it).to_string(),
            junit(it),
            sarif(it, "1").to_string(),
            page(it, constructs),
        ]
    };
    assert_eq!(all(&forwards), all(&backwards));
    let shown = all(&forwards);
    assert!(shown[0].starts_with("48 units: agrees 42, miscompiles 6\n"), "{}", shown[0]);
    assert!(shown[2].contains("failures=\"6\"") && shown[2].contains("&lt;uint&gt;"));
    assert!(shown[4].contains("6 / 12") && shown[4].contains("0 / 12"), "{}", shown[4]);
    // Of the eight units of each of three programs one fails.
    let cells = [">21 / 24<", "<th>if</th>", ">3 / 24<"];
    assert!(cells.iter().all(|it| shown[4].contains(it)), "{}", shown[4]);
}

#[test]
fn the_page_of_a_campaign_that_runs_has_the_tables_of_the_last_one() {
    let plan = plan();
    let mut records: Vec<Record> = (0..48).map(|it| record(&plan.unit(it))).collect();
    // Reduced programs are not units.
    records.push(Record::new(format!("{REDUCED}{}", plan.unit(0)), Outcome::Agrees));
    let mut tally = Tally::default();
    for record in &records {
        tally.add(record, constructs);
    }
    let so_far = page_so_far(&tally, 7);
    assert!(so_far.contains("48 units done, 7 left") && so_far.contains("http-equiv=\"refresh\""));
    let last = page(&Merged::new(records), constructs);
    assert!(!last.contains("http-equiv"));
    let tables =
        |page: &str| page[page.find("<ul>").unwrap()..page.rfind("</table>").unwrap()].to_owned();
    assert_eq!(tables(&so_far), tables(&last));
}

#[test]
fn a_ledger_may_be_torn_at_its_end_only() {
    let plan = plan();
    let line = |it| format!("{}\n", record(&plan.unit(it)).to_json());
    let whole = format!("{}{}", line(0), line(1));
    let records = read(&format!("{whole}{{\"unit\":\"fu")).unwrap();
    assert_eq!(records, [record(&plan.unit(0)), record(&plan.unit(1))]);
    let empty = read(&format!("{NO_UNITS}\n{}", line(0))).unwrap();
    assert_eq!(empty, [record(&plan.unit(0))]);
    assert!(is_line(NO_UNITS) && is_line(&line(0)) && !is_line("{}"));
    assert_eq!(read(&format!("{}oops\n{}", line(0), line(1))).unwrap_err(), Torn { line: 2 });
}

#[test]
fn different_records_of_a_unit_are_unstable_and_both_are_kept() {
    let plan = plan();
    let one = record(&plan.unit(0));
    let mut other = one.clone();
    other.digest = Some(digest(b"other"));
    let merged = Merged::new([one.clone(), other.clone()]);
    assert_eq!(merged.counts()[&Outcome::Unstable], 1);
    assert!(merged.fails());
    let told = json(&merged);
    assert_eq!(told["unstable"].as_array().unwrap().len(), 2);
    assert_eq!(merged, Merged::new([other, one]));
}

#[test]
fn groups_are_called_by_a_message_rather_than_by_their_signature() {
    let mut record = record(&plan().unit(0));
    record.outcome = Outcome::Crash;
    record.signature = Some("the device is lost: ''".to_owned());
    record.message = Some("the device is lost: 'fence 7'".to_owned());
    assert_eq!(Record::from_json(&record.to_json()), Some(record.clone()));
    let merged = Merged::new([record]);
    let all =
        [text(&merged), junit(&merged), sarif(&merged, "1").to_string(), page(&merged, constructs)];
    assert!(all.iter().all(|it| it.contains("crash") && it.contains("'fence 7'")), "{all:?}");
}

#[test]
fn an_empty_report_counts_no_units() {
    assert_eq!(text(&Merged::default()), "0 units\n");
}

#[test]
fn digests_never_change() {
    assert_eq!(digest(b""), "6c62272e07bb014262b821756295c58d");
    assert_eq!(digest(b"a"), "d228cb696f1a8caf78912b704e4a8964");
}
