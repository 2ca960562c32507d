//! Runs every section of the suite as a separate test.

use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    let mut names = std::collections::BTreeMap::new();
    for file in suite::files(&suite::folder()) {
        match suite::read_all(&file) {
            Ok(sections) => {
                for section in sections {
                    let short =
                        file.strip_prefix(suite::folder()).unwrap_or(&file).display().to_string();
                    if let Some(other) = names.insert(section.name.clone(), short.clone()) {
                        let name = section.name.clone();
                        let what = format!("`{name}` is also a section of {other}");
                        trials
                            .push(Trial::test(format!("{short}: unique name {name}"), move || {
                                Err(what.into())
                            }));
                    }
                    let name = format!("{short}: {}", section.name);
                    trials.push(Trial::test(name, move || {
                        suite::run::run(&section).map_err(Failed::from)
                    }));
                }
            }
            Err(what) => {
                trials.push(Trial::test(file.display().to_string(), move || Err(what.into())))
            }
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}
