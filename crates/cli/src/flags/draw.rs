//! The flags of draws that need no job: what is drawn, and where the target goes.

use jobs::job::StateKey;
use wavelane::internal::MOST_PIXELS;

use super::values::{choose, number};
use super::{Commands, Flag, Section, Takes};
use crate::asked::{LowArgs, Overlay};
use crate::command::Command;

/// The commands that know what is drawn: `new` writes it as a job.
const KNOWS_SCENES: Commands =
    &[Command::Run, Command::San, Command::Diff, Command::Bench, Command::Reduce, Command::New];
/// The commands that draw without a job.
const DRAWS: Commands =
    &[Command::Run, Command::San, Command::Diff, Command::Bench, Command::Reduce];

pub(super) const DRAW: Flag = Flag {
    names: &["--draw"],
    takes: Takes::Value("WHAT"),
    on: DRAWS,
    section: Section::Run,
    help: "draw instead of dispatching: fullscreen, a triangle that covers the target,\n\
           a mesh in FILE.obj, fitted into it, or N vertices of --vertex. A pixel shader\n\
           is the entry point; it reads TEXCOORD, POSITION, NORMAL, COLOR and system\n\
           values",
    set: |args, value| {
        args.draw.what = value.to_owned();
        Ok(())
    },
};

pub(super) const SIZE: Flag = Flag {
    names: &["--size"],
    takes: Takes::Value("WxH"),
    on: KNOWS_SCENES,
    section: Section::Run,
    help: "the size of the targets of --draw in pixels (256x256; new: 8x8)",
    set: |args, value| {
        let form = "the form is WxH, such as 256x256";
        let (width, height) = value.split_once('x').ok_or(form)?;
        let size = [number(width)?, number(height)?];
        if size.iter().any(|it| !(1..=MOST_PIXELS).contains(it)) {
            return Err(format!("each side has 1 to {MOST_PIXELS} pixels"));
        }
        args.draw.size = size;
        Ok(())
    },
};

pub(super) const VERTEX: Flag = Flag {
    names: &["--vertex"],
    takes: Takes::Value("ENTRY"),
    on: KNOWS_SCENES,
    section: Section::Run,
    help: "the vertex shader of --draw, in the same file; without it, one is generated\n\
           for the inputs of the pixel shader",
    set: |args, value| {
        args.draw.vertex = Some(value.to_owned());
        Ok(())
    },
};

pub(super) const MESH: Flag = Flag {
    names: &["--mesh"],
    takes: Takes::Value("ENTRY"),
    on: KNOWS_SCENES,
    section: Section::Run,
    help: "a mesh shader instead of a vertex shader, in the same file; --draw says how\n\
           many of its groups run: 8, or 4,2,1",
    set: |args, value| {
        args.draw.mesh = Some(value.to_owned());
        Ok(())
    },
};

pub(super) const AMPLIFICATION: Flag = Flag {
    names: &["--amplification"],
    takes: Takes::Value("ENTRY"),
    on: KNOWS_SCENES,
    section: Section::Run,
    help: "an amplification shader in front of --mesh; --draw counts its groups",
    set: |args, value| {
        args.draw.amplification = Some(value.to_owned());
        Ok(())
    },
};

pub(super) const HULL: Flag = Flag {
    names: &["--hull"],
    takes: Takes::Value("ENTRY"),
    on: KNOWS_SCENES,
    section: Section::Run,
    help: "a hull shader of --draw, in the same file: patches of as many control points\n\
           as it reads; it needs --domain",
    set: |args, value| {
        args.draw.hull = Some(value.to_owned());
        Ok(())
    },
};

pub(super) const DOMAIN: Flag = Flag {
    names: &["--domain"],
    takes: Takes::Value("ENTRY"),
    on: KNOWS_SCENES,
    section: Section::Run,
    help: "the domain shader behind --hull, in the same file",
    set: |args, value| {
        args.draw.domain = Some(value.to_owned());
        Ok(())
    },
};

pub(super) const GEOMETRY: Flag = Flag {
    names: &["--geometry"],
    takes: Takes::Value("ENTRY"),
    on: KNOWS_SCENES,
    section: Section::Run,
    help: "a geometry shader of --draw, in the same file",
    set: |args, value| {
        args.draw.geometry = Some(value.to_owned());
        Ok(())
    },
};

pub(super) const TARGET: Flag = Flag {
    names: &["--target"],
    takes: Takes::Values("TARGET"),
    on: DRAWS,
    section: Section::Run,
    help: "a target of --draw: FORMAT, NAME=FORMAT, or as in a job\n\
           { Name: N, Format: RGBA8_UNORM, Clear: [0, 0, 0, 1], Blend: Alpha }.\n\
           Given several times, the targets that the pixel shader writes, in order;\n\
           one that is not given is called Target (Target1, …), with 32-bit channels",
    set: |args, value| {
        args.draw.targets.push(value.to_owned());
        Ok(())
    },
};

pub(super) const BLEND: Flag = Flag {
    names: &["--blend"],
    takes: Takes::Value("HOW"),
    on: DRAWS,
    section: Section::Run,
    help: "how targets of --draw are blended: alpha, premultiplied, additive, multiply,\n\
           screen, min, max or none (none); or as in a job\n\
           { Src: SrcAlpha, Dst: InvSrcAlpha, Op: Add, WriteMask: 7, … }",
    set: |args, value| state(args, StateKey::Blend, "--blend", value),
};

pub(super) const DEPTH: Flag = Flag {
    names: &["--depth"],
    takes: Takes::Value("TEST"),
    on: DRAWS,
    section: Section::Run,
    help: "the depth test of --draw: less, lessequal, greater, equal, always, … or none\n\
           (less for meshes); or as in a job { Format: D16_UNORM, Clear: 1, Func: Less,\n\
           Write: false }. The depth buffer is Depth in --print and --out",
    set: |args, value| state(args, StateKey::DepthStencil, "--depth", value),
};

pub(super) const STENCIL: Flag = Flag {
    names: &["--stencil"],
    takes: Takes::Value("TEST"),
    on: DRAWS,
    section: Section::Run,
    help: "the stencil test of --draw, as in a job: { Ref: 1, Front: { Func: Equal,\n\
           Pass: Incr }, … }. The stencil is Stencil in --print and --out",
    set: |args, value| state(args, StateKey::Stencil, "--stencil", value),
};

pub(super) const RASTER: Flag = Flag {
    names: &["--raster"],
    takes: Takes::Values("STATE"),
    on: DRAWS,
    section: Section::Run,
    help: "other fixed state of --draw, as under Raster of a job: 'Cull: Back',\n\
           '{ DepthBias: { Bias: 4 }, SampleMask: 3 }', 'Viewports: [ … ]', …",
    set: |args, value| state(args, StateKey::Raster, "--raster", value),
};

fn state(args: &mut LowArgs, key: StateKey, flag: &'static str, value: &str) -> Result<(), String> {
    args.draw.state.push((key, flag, value.to_owned()));
    Ok(())
}

pub(super) const SAMPLES: Flag = Flag {
    names: &["--samples"],
    takes: Takes::Value("N"),
    on: DRAWS,
    section: Section::Run,
    help: "the samples of a pixel of the target of --draw: 1, 2, 4, 8 or 16 (1)",
    set: |args, value| {
        let samples = [1, 2, 4, 8, 16].map(|it: u32| (it, it.to_string()));
        let found = samples.iter().find(|it| it.1 == value);
        args.draw.samples = Some(found.ok_or("a pixel has 1, 2, 4, 8 or 16 samples")?.0);
        Ok(())
    },
};

pub(super) const PACKING: Flag = Flag {
    names: &["--packing"],
    takes: Takes::Value("WHOSE"),
    on: &[Command::Run, Command::Bench],
    section: Section::Run,
    help: "which pixels share a wave in --draw: canonical, the same everywhere, or\n\
           device, as the GPU packs them; without the latter --engine vulkan refuses\n\
           wave operations in pixel shaders (canonical)",
    set: |args, value| {
        args.draw.is_packed_by_device = choose(value, &[("canonical", false), ("device", true)])?;
        Ok(())
    },
};

pub(super) const FILE: Flag = Flag {
    names: &["-o"],
    takes: Takes::Value("FILE"),
    on: &[Command::Run],
    section: Section::Output,
    help: "write the targets of --draw to FILE.png, FILE.npy or FILE.bin, in which\n\
           {target} is the name of a target; without it, the first one goes to FILE,\n\
           and others to FILE-NAME.png",
    set: |args, value| {
        args.target_file = Some(value.to_owned());
        Ok(())
    },
};

pub(super) const OVERLAY: Flag = Flag {
    names: &["--overlay"],
    takes: Takes::Value("WHAT"),
    on: &[Command::Run],
    section: Section::Output,
    help: "magnify the picture of the target, with its lanes drawn over it: quads,\n\
           helpers (hatched: lanes that cover nothing), or waves, each in a colour; or\n\
           with its primitives: meshlets, the groups of --mesh, or patches of --hull",
    set: |args, value| {
        args.draw.overlay = Some(choose(value, &Overlay::ALL)?);
        Ok(())
    },
};
