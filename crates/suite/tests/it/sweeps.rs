//! The sanitizer's runs on separate threads: reports do not depend on how many there are.

use sanitizer::Plan;

/// One section of this many is swept.
const SHARE: usize = 3;

#[test]
fn reports_do_not_depend_on_the_number_of_threads() {
    let folder = suite::folder().join("san");
    let sections = suite::files(&folder).into_iter().flat_map(|it| suite::read_all(&it).unwrap());
    let mut findings = 0;
    for section in sections.filter(|it| it.draw.is_none()).step_by(SHARE) {
        for widths in section.programs() {
            let compiled = suite::run::compile(&section, widths[0]).unwrap();
            let Some(module) = &compiled.module else { continue };
            if module.io.is_some() || module.group.is_some() {
                continue;
            }
            let bindings = suite::run::inputs(&section, module).unwrap();
            let launch = suite::run::launch(&section, module, widths[0]);
            let examine = |threads| {
                let plan = Plan { threads, ..Plan::new(widths.clone()) };
                sanitizer::examine(module, &launch, &bindings, &plan)
            };
            let (one, several) = (examine(1), examine(4));
            assert_eq!(one, several, "{}", section.name);
            findings += one.map_or(0, |it| it.seen.len());
        }
    }
    assert!(findings > 60, "{findings}");
}
