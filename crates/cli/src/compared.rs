//! `--with-engine` of `timeline`: the dispatch on another engine, and the scalars in which its results differ.
//!
//! Deliberately absent: what a difference means. `wavelane diff` judges that, and finds the first value that differs
//! inside the program.

use timeline::{Comparison, Difference, Location};
use wavelane::internal::{self, Slots};
use wavelane::{
    Adapter, ComputePipeline, Dispatch, DispatchError, Resource, ResourceTable, Shader,
};

use crate::asked::DeviceChoice;
use crate::compare::{Differing, each_that_differs, name_of};
use crate::problem::{Exit, Problem};
use crate::side::{self, NotRun, Runs, Side};

/// The most differences that are listed; all are counted.
const MOST: usize = 1000;

/// Opens the engine.
pub(crate) fn open(engine: &str, device: &DeviceChoice) -> Result<Side, Problem> {
    if engine.contains(',') {
        let problem = Problem::input("`--with-engine` takes one engine");
        return Err(problem.help("`wavelane diff --engines` compares several"));
    }
    if engine == "interp" {
        let problem = Problem::input("`interp` is the engine that is recorded");
        return Err(problem.help("name another one: --with-engine cpu"));
    }
    let wanted = side::Wanted { engines: Some(engine), module: None, device };
    let side = side::open(wanted)?.pop();
    let side = side.unwrap_or_else(|| unreachable!("`open` gives a side for each name"));
    match &side.runs {
        Runs::Missing(why) => Err(Problem::new(Exit::Unsupported, why.clone())),
        _ => Ok(side),
    }
}

/// What is run on both engines.
pub(crate) struct Subject<'a> {
    pub(crate) shader: &'a Shader,
    pub(crate) adapter: &'a Adapter,
    /// The pipeline of the reference engine.
    pub(crate) pipeline: &'a ComputePipeline,
    pub(crate) dispatch: &'a Dispatch,
    pub(crate) table: &'a ResourceTable,
    /// The report about a dispatch that did not run to its end.
    pub(crate) failed: &'a dyn Fn(&DispatchError) -> Problem,
}

/// Runs both, and compares; nothing is compared if the reference engine does not run to its end.
pub(crate) fn compare(
    subject: &Subject<'_>,
    side: &Side,
) -> Result<Option<(Comparison, Vec<Location>)>, Problem> {
    let Subject { shader, adapter, pipeline, dispatch, table, failed } = subject;
    let unsupported = |why: String| {
        let what = format!("`{}` does not run this: {why}", side.name);
        Problem::new(Exit::Unsupported, what)
    };
    let other = side.pipeline(shader, adapter).map_err(|why| match why {
        NotRun::Unsupported(why) => unsupported(why),
        NotRun::BadInput(why) => Problem::input(format!("`{}`: {why}", side.name)),
    })?;
    // The reference engine compared with itself would agree.
    if let Some(what) = other.fallback(dispatch, table) {
        return Err(unsupported(format!("the reference engine does {what} for it")));
    }
    let expected = table.copied();
    if pipeline.dispatch(dispatch, &expected).is_err() {
        return Ok(None);
    }
    let got = table.copied();
    internal::dispatch(&other, dispatch, &got).map_err(|error| match error {
        DispatchError::Unsupported(_) | DispatchError::WaveSize { .. } => {
            unsupported(error.to_string().trim_start_matches("unsupported: ").to_owned())
        }
        _ => {
            let problem = failed(&error);
            Problem { message: format!("on `{}`: {}", side.name, problem.message), ..problem }
        }
    })?;
    Ok(Some(differences(shader, side, &expected, &got)))
}

fn differences(
    shader: &Shader,
    side: &Side,
    expected: &ResourceTable,
    got: &ResourceTable,
) -> (Comparison, Vec<Location>) {
    let engine = match &side.about {
        Some(about) => format!("{} ({about})", side.name),
        None => side.name.clone(),
    };
    let mut comparison = Comparison { engine, ..Comparison::default() };
    let mut places = Vec::new();
    let may_round = side.may_round(shader);
    for (resource, element, wanted) in expected.iter() {
        let Some(other) = got.get(&resource.name, element) else { continue };
        if !resource.kind.writable() {
            continue;
        }
        let number = number_of(shader, resource);
        each_that_differs(resource, &wanted, &other, None, &mut |it: &Differing| {
            let Differing { place, bytes, expected, got, is_near, .. } = it;
            comparison.count += 1;
            if comparison.differences.len() == MOST {
                return;
            }
            comparison.differences.push(Difference {
                place: format!("{}{place}", name_of(resource, element)),
                here: expected.text.clone(),
                there: got.text.clone(),
                is_rounding: *is_near && may_round,
                ..Difference::default()
            });
            places.push(match bytes {
                Some(bytes) => {
                    Location::Bytes(number, element, bytes.start as u64..bytes.end as u64)
                }
                None => Location::Counter(number),
            });
        });
    }
    (comparison, places)
}

/// The number of a resource in the module.
fn number_of(shader: &Shader, resource: &Resource) -> u32 {
    let at = shader.resources().iter().position(|it| it.name == resource.name);
    at.map_or(u32::MAX, |it| it as u32)
}

#[cfg(test)]
mod tests {
    use wavelane::internal::Slot;
    use wavelane::{Device, NoIncludes, Options, ShaderModel};

    use super::*;

    const TEXT: &str = "RWStructuredBuffer<uint2> Out;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = 9;
    if (t & 1)
        sum = WaveActiveSum(t);
    Out[t] = uint2(t, sum);
}
";

    /// What a side leaves differently that changes the shader so.
    fn compared(fault: fn(&Shader) -> Shader) -> (Comparison, Vec<Location>) {
        let options = Options { shader_model: ShaderModel::V6_6, ..Options::default() };
        let compiled = Shader::compile("a.hlsl", TEXT, &options, &mut NoIncludes).unwrap();
        let shader = compiled.shader.unwrap();
        let mut table = ResourceTable::new(&shader);
        table.bind_at("Out", 0, Slot::new(vec![0; 64])).unwrap();
        let adapter = Adapter::reference();
        let pipeline = Device::new(adapter.clone()).create_compute_pipeline(&shader).unwrap();
        let dispatch = Dispatch { wave_size: Some(8), ..Dispatch::new([1, 1, 1]) };
        let subject = Subject {
            shader: &shader,
            adapter: &adapter,
            pipeline: &pipeline,
            dispatch: &dispatch,
            table: &table,
            failed: &|error| Problem::input(error.to_string()),
        };
        let about = Some("a device".to_owned());
        let side = Side { name: "cpu".to_owned(), about, runs: Runs::Planted(fault) };
        compare(&subject, &side).unwrap().unwrap()
    }

    #[test]
    fn scalars_that_differ_have_their_places() {
        let (comparison, places) = compared(Shader::clone);
        assert_eq!((comparison.count, places.len()), (0, 0));
        let (comparison, places) = compared(|shader| {
            let text = shader.ir().unwrap().replace("wave.reduce.sum", "wave.reduce.max.u");
            Shader::from_ir(&text).unwrap()
        });
        assert_eq!((comparison.engine.as_str(), comparison.count), ("cpu (a device)", 4));
        let first = &comparison.differences[0];
        assert_eq!(
            (first.place.as_str(), first.here.as_str(), first.there.as_str()),
            ("Out[1], scalar 1", "16", "7")
        );
        let wanted = [1, 3, 5, 7].map(|it| Location::Bytes(0, 0, 8 * it + 4..8 * it + 8));
        assert_eq!(places, wanted);
    }
}
