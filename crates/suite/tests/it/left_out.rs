//! The bytes that are left out of comparisons because something undefined reaches them, and the cause that the report
//! names.

use sanitizer::{Kind, Plan, Report};

/// The report on a section of the suite.
fn examine(file: &str, name: &str) -> Report {
    let all = suite::read_all(&suite::folder().join(file)).unwrap();
    let section = all.iter().find(|it| it.name == name);
    let section = section.unwrap_or_else(|| panic!("{file} has no section `{name}`"));
    let compiled = suite::run::compile(section, 4).unwrap();
    let module = compiled.module.unwrap();
    let bindings = suite::run::inputs(section, &module).unwrap();
    let launch = suite::run::launch(section, &module, 4);
    let plan = Plan::new(vec![4, 8, 16, 32]);
    sanitizer::examine(&module, &launch, &bindings, &plan).unwrap()
}

/// The kinds of the causes, and for each how many bytes of `Out`.
fn left_out(file: &str, name: &str) -> Vec<(Kind, (usize, usize))> {
    let all = examine(file, name).left_out;
    all.into_iter().map(|it| (it.cause.kind, it.bytes)).collect()
}

#[test]
fn an_answer_that_a_query_must_not_give_is_named_for_what_it_is() {
    let found = left_out("san/no-data-access.hlsl", "no-data-access-reaches");
    assert_eq!(found, [(Kind::NoDataAccess, (128, 256))]);
}

#[test]
fn a_racing_ray_reaches_what_its_query_answers_and_nothing_else() {
    let found = left_out("san/race.hlsl", "san-a-ray-from-a-racing-value");
    assert_eq!(found, [(Kind::Race, (128, 256))]);
}
