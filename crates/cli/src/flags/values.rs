//! Parses the values of flags, and reports what is wrong with them.

use std::time::Duration;

use values::order;
use wavelane::internal::{PROFILES, diag};
use wavelane::{
    LaneCounts, LaneOrder, MOST_GROUPS, RaytracingTier, SamplerFeedbackTier, Schedule, ShaderModel,
};

use crate::asked::LowArgs;
use crate::asked::{Output, WaveSizes};
use crate::command::Command;

pub(super) fn nothing(_: &mut LowArgs, _: &str) -> Result<(), String> {
    Ok(())
}

pub(super) fn pair(value: &str) -> Result<(String, String), String> {
    let (name, value) = value.split_once('=').ok_or("the form is NAME=VALUE")?;
    let name = name.trim();
    if name.is_empty() {
        Err("the form is NAME=VALUE".to_owned())
    } else {
        Ok((name.to_owned(), value.to_owned()))
    }
}

pub(super) fn choose<T: Copy>(word: &str, choices: &[(&str, T)]) -> Result<T, String> {
    let found = choices.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        format!("the choices are {}", names.join(", "))
    })
}

pub(super) fn number(word: &str) -> Result<u32, String> {
    unsigned(word.trim())
}

/// Reads a count.
pub(super) fn unsigned<T: TryFrom<u64>>(word: &str) -> Result<T, String> {
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|it| it.is_ascii_digit()) {
        return Err(format!("`{word}` is not an integer"));
    }
    if word.starts_with('-') {
        return Err(format!("`{word}` is negative"));
    }
    let read = word.parse::<u64>().ok().and_then(|it| T::try_from(it).ok());
    read.ok_or_else(|| format!("`{word}` is too large"))
}

pub(super) fn groups(args: &mut LowArgs, value: &str) -> Result<(), String> {
    let counts = value.split(',').map(number).collect::<Result<Vec<u32>, String>>()?;
    if counts.len() > 3 {
        return Err("a dispatch has three dimensions at most".to_owned());
    }
    if counts.iter().any(|it| *it > MOST_GROUPS) {
        return Err(format!("each dimension has at most {MOST_GROUPS} groups"));
    }
    if counts.contains(&0) {
        args.compile.remarks.push(format!("`--groups {value}` dispatches no group: nothing runs"));
    }
    args.launch.groups = [1; 3];
    args.launch.groups[..counts.len()].copy_from_slice(&counts);
    Ok(())
}

pub(super) fn wave_size(args: &mut LowArgs, value: &str) -> Result<(), String> {
    args.launch.wave_sizes = match value {
        "all" => WaveSizes::All,
        "attr" => WaveSizes::Default,
        _ => {
            let mut sizes = Vec::new();
            for part in value.split(',') {
                sizes.extend(range(part)?.iter());
            }
            sizes.sort_unstable();
            sizes.dedup();
            WaveSizes::List(sizes)
        }
    };
    Ok(())
}

/// `W` or `W..W`.
pub(super) fn range(text: &str) -> Result<LaneCounts, String> {
    let (min, max) = text.split_once("..").unwrap_or((text, text));
    let (min, max) = (number(min)?, number(max)?);
    for size in [min, max] {
        if !size.is_power_of_two() || !(4..=128).contains(&size) {
            return Err(format!("a wave has a power of two from 4 to 128 lanes, not {size}"));
        }
    }
    if min > max {
        return Err(format!("there is nothing from {min} to {max}"));
    }
    Ok(LaneCounts { min, max })
}

pub(super) fn lane_order(args: &mut LowArgs, value: &str) -> Result<(), String> {
    let order = match order::seed(value) {
        Some(seed) => LaneOrder::Random(seed?),
        None => choose(value, &order::LANE_ORDERS)?,
    };
    if value == "random" {
        args.compile.remarks.push(
            "the seed of the random lane order is 1; `random:SEED` chooses another".to_owned(),
        );
    }
    args.launch.lane_order = Some(order);
    Ok(())
}

pub(super) fn schedule(args: &mut LowArgs, value: &str) -> Result<(), String> {
    args.launch.schedule = match order::seed(value) {
        Some(seed) => Schedule::Random(seed?),
        None => choose(value, &order::SCHEDULES)?,
    };
    if value == "random" {
        args.compile
            .remarks
            .push("the seed of the random schedule is 1; `random:SEED` chooses another".to_owned());
    }
    Ok(())
}

pub(super) fn timeout(args: &mut LowArgs, value: &str) -> Result<(), String> {
    let seconds: f64 =
        value.parse().map_err(|_| format!("`{value}` is not a number of seconds"))?;
    let timeout = Duration::try_from_secs_f64(seconds)
        .map_err(|_| format!("`{value}` is not a number of seconds"))?;
    if timeout.is_zero() {
        return Err("no run ends within 0 seconds".to_owned());
    }
    args.launch.timeout = Some(timeout);
    Ok(())
}

pub(super) fn format(args: &mut LowArgs, value: &str) -> Result<(), String> {
    let all = [
        ("text", Output::Text),
        ("json", Output::Json),
        ("github", Output::Github),
        ("sarif", Output::Sarif),
        ("junit", Output::Junit),
    ];
    let of_tests = [all[0], all[1], all[4], all[3], all[2]];
    let of_diff = [all[0], all[1], all[2], all[4]];
    let of_campaign = [all[0], all[1], all[4], all[3]];
    let choices = match args.command {
        Command::Test | Command::Merge => &of_tests[..],
        Command::San => &all[..],
        Command::Diff => &of_diff[..],
        Command::Check => &all[..4],
        Command::Campaign => &of_campaign[..],
        _ => &all[..2],
    };
    // A way to write messages, which every command that compiles shows on standard error.
    if let (Command::Check, "msvc") = (args.command, value) {
        args.compile.is_msvc = true;
        return Ok(());
    }
    args.output = choose(value, choices)?;
    args.spirv.format_given = true;
    Ok(())
}

pub(super) fn profile(args: &mut LowArgs, value: &str) -> Result<(), String> {
    let form = "a profile looks like cs_6_6";
    let [stage, major, minor] = value.split('_').collect::<Vec<_>>()[..] else {
        return Err(form.to_owned());
    };
    args.compile.options.stage = choose(stage, &PROFILES)?;
    let highest = ShaderModel::HIGHEST;
    let model = match (major, minor) {
        // As in dxc: shader models of older compilers become the oldest one that is supported.
        ("4" | "5", "0" | "1") => {
            args.compile.remarks.push(format!("`{value}` is promoted to `{stage}_6_0`"));
            Some(ShaderModel::V6_0)
        }
        ("6", "x") => Some(highest),
        _ if minor.parse::<u32>().is_err() => return Err(form.to_owned()),
        _ => ShaderModel::parse(&format!("{major}.{minor}")),
    };
    args.compile.options.shader_model =
        model.ok_or_else(|| format!("the shader models are 6.0 to {highest}"))?;
    Ok(())
}

pub(super) fn constant(args: &mut LowArgs, value: &str) -> Result<(), String> {
    let (id, value) = pair(value)?;
    let id = id.parse().map_err(|_| format!("`{id}` is not the number of a constant"))?;
    let (ty, text) = match value.split_once(':') {
        Some((ty, text)) => (ty, text.trim()),
        None => (if value.contains(['.', 'e']) { "f32" } else { "i32" }, value.trim()),
    };
    let wrong = || format!("`{text}` is not a value of type {ty}");
    let float = || text.parse::<f64>().map_err(|_| wrong());
    let bits = match (ty, text) {
        ("i32" | "bool", "true") => 1,
        ("i32" | "bool", "false") => 0,
        ("f16", _) => wavelane::F16::from_f64(float()?).0.into(),
        ("f32", _) => u64::from((float()? as f32).to_bits()),
        ("f64", _) => float()?.to_bits(),
        ("bool" | "i16" | "u16" | "i32" | "u32" | "i64" | "u64", _) => {
            let (digits, radix) = match text.strip_prefix("0x") {
                Some(digits) => (digits, 16),
                None => (text, 10),
            };
            i128::from_str_radix(digits, radix).map_err(|_| wrong())? as u64
        }
        _ => return Err(format!("`{ty}` is not one of bool i16 u16 f16 i32 u32 f32 i64 u64 f64")),
    };
    args.compile.options.specialization.push((id, bits));
    Ok(())
}

pub(super) fn warning(args: &mut LowArgs, value: &str) -> Result<(), String> {
    if let Some(remark) = args.compile.warnings.read(value) {
        args.compile.remarks.push(remark);
    }
    Ok(())
}

pub(super) fn caps(args: &mut LowArgs, value: &str) -> Result<(), String> {
    for item in value.split(',') {
        let (cap, value) = item.split_once('=').ok_or("the form is CAP=VALUE")?;
        cap_value(args, cap.trim(), value.trim())?;
    }
    Ok(())
}

pub(super) fn cap_value(args: &mut LowArgs, cap: &str, value: &str) -> Result<(), String> {
    const NAMES: [&str; 10] = [
        "wave-ops",
        "lanes",
        "total-lanes",
        "sm",
        "int64",
        "16bit",
        "double",
        "groupshared",
        "rays",
        "feedback",
    ];
    let adapter = &mut args.device.adapter;
    let switch = || choose(value, &[("on", true), ("off", false)]);
    match cap {
        "wave-ops" => adapter.wave_ops = switch()?,
        "lanes" => adapter.wave_lane_count = range(value)?,
        "total-lanes" => adapter.total_lane_count = number(value)?,
        "int64" => adapter.int64_shader_ops = switch()?,
        "16bit" => adapter.native_16bit_shader_ops = switch()?,
        "rays" => {
            adapter.raytracing_tier = match switch()? {
                true => RaytracingTier::Tier1_1,
                false => RaytracingTier::NotSupported,
            };
        }
        "feedback" => {
            let tiers = [
                ("none", SamplerFeedbackTier::NotSupported),
                ("0.9", SamplerFeedbackTier::Tier0_9),
                ("1.0", SamplerFeedbackTier::Tier1_0),
            ];
            let tier = choose(value, &tiers)?;
            adapter.sampler_feedback_tier = tier;
            args.san.has_feedback_tier_1 = tier == SamplerFeedbackTier::Tier1_0;
        }
        "groupshared" => adapter.max_group_shared_memory = number(value)?,
        "double" => adapter.double_precision_float_shader_ops = switch()?,
        "sm" => {
            let highest = ShaderModel::HIGHEST;
            adapter.shader_model = ShaderModel::parse(value)
                .ok_or_else(|| format!("the shader models are 6.0 to {highest}"))?;
        }
        _ => {
            let near =
                diag::most_similar(cap, NAMES).or(cap.starts_with("wave").then_some("wave-ops"));
            let near = near.map(|it| format!("; did you mean `{it}`?")).unwrap_or_default();
            return Err(format!("there is no cap `{cap}`{near}; they are {}", NAMES.join(", ")));
        }
    }
    adapter.name = "custom".to_owned();
    Ok(())
}

/// A folder of golden images. Tests are elsewhere, so that the path is made absolute.
pub(super) fn golden(value: &str) -> Result<String, String> {
    let path = std::path::absolute(value).map_err(|error| error.to_string())?;
    if !path.is_dir() {
        return Err(format!("`{value}` is not a folder"));
    }
    Ok(path.to_string_lossy().replace('\\', "/"))
}
