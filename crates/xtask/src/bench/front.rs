//! Measures how long a whole process takes to check a shader, compared with other compilers on the same files.
//!
//! Two files: the kernel of the README, and a generated one of ten thousand lines. Then the smallest possible commands,
//! to measure start-up. The other compilers are commands that the caller gives; rounds alternate, so that a slow moment
//! affects all alike.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Pieces of about forty lines, so that the file has ten thousand.
const PIECES: usize = 244;

/// Prints the median of `rounds` processes for every command and file.
pub(super) fn run(rounds: usize, peers: &[String]) -> Result<(), String> {
    let folder = crate::root().join("target/bench");
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let large = folder.join("large.hlsl");
    std::fs::write(&large, large_shader()).map_err(|error| error.to_string())?;
    let files = [crate::root().join("examples/compact.hlsl"), large];
    let wavelane = wavelane()?;
    println!("whole processes, median of {rounds} alternating rounds");
    for file in &files {
        let lines = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
        println!("\n{} ({} lines)", file.display(), lines.lines().count());
        let mut commands = vec![format!("{} check FILE", wavelane.display())];
        commands.extend(peers.iter().cloned());
        let mut times = vec![Vec::new(); commands.len()];
        for _ in 0..rounds {
            for (command, times) in commands.iter().zip(&mut times) {
                times.push(time(command, file)?);
            }
        }
        let mut ours = None;
        for (command, times) in commands.iter().zip(&mut times) {
            times.sort_by(f64::total_cmp);
            let median = times[times.len() / 2];
            let ours = *ours.get_or_insert(median);
            println!("{median:>10.1} ms  {:>6.1} x  {command}", median / ours);
        }
    }
    start_up(&wavelane, &folder, rounds)
}

/// Minimal commands, whose time is nearly all process start and exit.
fn start_up(wavelane: &Path, folder: &Path, rounds: usize) -> Result<(), String> {
    let shader = folder.join("one.hlsl");
    let cases = folder.join("case.hlsl");
    let text = "RWStructuredBuffer<uint> Out; [numthreads(32, 1, 1)] \
                void main(uint t : SV_GroupIndex) { Out[t] = WaveActiveSum(t); }\n";
    std::fs::write(&shader, text).map_err(|error| error.to_string())?;
    let text = "#include <wavelane.hlsli>\nTEST_CASE(sum) { EXPECT_EQ(WaveActiveSum(1u), WaveGetLaneCount()); }\n";
    std::fs::write(&cases, text).map_err(|error| error.to_string())?;
    let job = crate::root().join("suite/jobs/heap.test");
    println!("\nstart-up");
    for (words, file) in [
        ("check FILE", &shader),
        ("run FILE --bind Out=u32[32]", &shader),
        ("run FILE", &job),
        ("test FILE", &job),
        ("test FILE --wave-size 32", &cases),
        ("test FILE", &cases),
    ] {
        let command = format!("{} {words}", wavelane.display());
        let mut times = Vec::new();
        for _ in 0..rounds.max(1) {
            times.push(time(&command, file)?);
        }
        times.sort_by(f64::total_cmp);
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        println!("{:>10.1} ms  {}", times[times.len() / 2], words.replace("FILE", &name));
    }
    Ok(())
}

/// The command line tool in a release build.
pub(super) fn wavelane() -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--release", "--quiet", "-p", "wavelane-cli", "--message-format=json"])
        .current_dir(crate::root())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    let text = String::from_utf8_lossy(&built.stdout);
    text.lines()
        .filter_map(|line| line.split_once("\"executable\":\"")?.1.split_once('"'))
        .map(|(path, _)| PathBuf::from(path))
        .next_back()
        .ok_or_else(|| "wavelane was not built".to_owned())
}

/// Milliseconds that a command takes with `FILE` replaced.
fn time(command: &str, file: &Path) -> Result<f64, String> {
    let file = file.to_string_lossy();
    let mut words =
        command.split_whitespace().map(|word| if word == "FILE" { file.as_ref() } else { word });
    let program = words.next().ok_or("an empty command")?;
    let start = Instant::now();
    let output = Command::new(program)
        .args(words)
        .output()
        .map_err(|error| format!("cannot run `{program}`: {error}"))?;
    let time = super::milliseconds(start);
    match output.status.success() {
        true => Ok(time),
        false => Err(format!(
            "`{command}` fails on {file}:\n{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

/// Ten thousand lines of typical code: structs, constants, macros, loops, switches, wave operations.
/// Everything is reachable from `main`. Only features that every HLSL compiler supports are used.
fn large_shader() -> String {
    let mut text = String::new();
    text.push_str("RWStructuredBuffer<uint> Out : register(u0);\n");
    text.push_str("StructuredBuffer<float4> In : register(t0);\n");
    text.push_str("groupshared uint Shared[64];\n\n");
    for piece in 0..PIECES {
        text.push_str(&PIECE.replace('@', &piece.to_string()));
    }
    text.push_str("[numthreads(64, 1, 1)]\n");
    text.push_str("void main(uint3 id : SV_DispatchThreadID, uint t : SV_GroupIndex)\n{\n");
    text.push_str("    uint sum = 0;\n");
    for piece in 0..PIECES {
        let _ = writeln!(text, "    sum += Reduce{piece}(In[id.x + {piece}], t);");
    }
    text.push_str("    Out[id.x] = sum;\n}\n");
    text
}

const PIECE: &str = "\
// Piece @: how much a sample counts.
#define SCALE_@ (@ * 3 + 1)
#define BLEND_@(a, b) ((a) * 0.5f + (b) * (1.0f / SCALE_@))

struct Sample@
{
    float4 position;
    float3 normal;
    float roughness;
    uint flags;
};

static const uint Table@[4] = { @, 7, 11, SCALE_@ };

Sample@ Unpack@(float4 raw)
{
    Sample@ s;
    s.position = raw * float4(1.0f, 2.0f, 3.0f, 1.0f);
    s.normal = normalize(raw.xyz + float3(0.0f, 0.0f, 1.0f));
    s.roughness = saturate(BLEND_@(raw.w, raw.x));
    s.flags = asuint(raw.y) & 0xffu;
    return s;
}

uint Reduce@(float4 raw, uint t)
{
    Sample@ s = Unpack@(raw);
    uint count = 0;
    for (uint i = 0; i < 4; i++) {
        if ((s.flags & (1u << i)) != 0)
            count += Table@[i];
    }
    switch (t & 3) {
    case 0: count ^= s.flags; break;
    case 1: count += uint(dot(s.normal, s.position.xyz)); break;
    default: count = WaveActiveSum(count) + WavePrefixSum(s.flags); break;
    }
    return s.roughness > 0.5f ? count : count + 1;
}

";
