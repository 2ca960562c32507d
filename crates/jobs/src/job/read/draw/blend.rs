//! Reads `Blend`: how targets are written, by the name of a usual way or field by field.

use wavelane::graphics::{Blend, BlendOp, Equation, Factor, LogicOp};

use super::*;

/// The usual ways of blending. The factors of a colour, and those of its alpha.
const PRESETS: [(&str, Option<Blend>); 8] = [
    ("None", None),
    ("Alpha", blend([Factor::SrcAlpha, Factor::InvSrcAlpha], [Factor::One, Factor::InvSrcAlpha])),
    (
        "Premultiplied",
        blend([Factor::One, Factor::InvSrcAlpha], [Factor::One, Factor::InvSrcAlpha]),
    ),
    ("Additive", blend([Factor::One; 2], [Factor::One; 2])),
    ("Multiply", blend([Factor::DestColor, Factor::Zero], [Factor::DestAlpha, Factor::Zero])),
    ("Screen", blend([Factor::One, Factor::InvSrcColor], [Factor::One, Factor::InvSrcAlpha])),
    ("Min", extreme(BlendOp::Min)),
    ("Max", extreme(BlendOp::Max)),
];

const fn blend(color: [Factor; 2], alpha: [Factor; 2]) -> Option<Blend> {
    let op = BlendOp::Add;
    let color = Equation { src: color[0], dst: color[1], op };
    let alpha = Equation { src: alpha[0], dst: alpha[1], op };
    Some(Blend { color, alpha })
}

const fn extreme(op: BlendOp) -> Option<Blend> {
    let equation = Equation { src: Factor::One, dst: Factor::One, op };
    Some(Blend { color: equation, alpha: equation })
}

/// The fields of `Blend` that each target may have for itself.
struct Written<'a> {
    src: Option<&'a Node>,
    dst: Option<&'a Node>,
    op: Option<&'a Node>,
    alphas: [Option<&'a Node>; 2],
    op_alpha: Option<&'a Node>,
    mask: Option<&'a Node>,
    logic: Option<&'a Node>,
}

impl<'a> Written<'a> {
    fn of(fields: &mut Fields<'a>) -> Written<'a> {
        Written {
            src: fields.get("Src"),
            dst: fields.get("Dst"),
            op: fields.get("Op"),
            alphas: [fields.get("SrcAlpha"), fields.get("DstAlpha")],
            op_alpha: fields.get("OpAlpha"),
            mask: fields.get("WriteMask"),
            logic: fields.get("Logic"),
        }
    }
}

impl Reader {
    /// `Blend` of a draw.
    pub(super) fn blend(&mut self, node: &Node, draw: &mut Draw) -> Option<()> {
        if let NodeKind::Scalar(_) = node.kind {
            draw.write = self.preset(node)?;
            return Some(());
        }
        let mut fields = self.fields(node, "`Blend`")?;
        let written = Written::of(&mut fields);
        let factor = fields.get("Factor");
        let coverage = fields.get("AlphaToCoverage");
        self.done_with_state(fields);
        let write = self.written(node, &written);
        let factor = self.floats::<4>(factor, "`Factor`", [1.0; 4]);
        let alpha_to_coverage = self.switch_or(coverage, false);
        draw.write = write?;
        draw.blend_factor = factor?.map(|it| it as f32);
        draw.alpha_to_coverage = alpha_to_coverage?;
        Some(())
    }

    /// `Blend` of one target.
    pub(super) fn target_blend(&mut self, node: &Node) -> Option<TargetState> {
        if let NodeKind::Scalar(_) = node.kind {
            return self.preset(node);
        }
        let mut fields = self.fields(node, "`Blend`")?;
        let written = Written::of(&mut fields);
        self.done_with_state(fields);
        self.written(node, &written)
    }

    fn preset(&mut self, node: &Node) -> Option<TargetState> {
        let blend = self.choose(node, &PRESETS)?;
        Some(TargetState { blend, ..TargetState::default() })
    }

    fn written(&mut self, node: &Node, fields: &Written<'_>) -> Option<TargetState> {
        let Written { src: src_node, dst, op: op_node, alphas, op_alpha, mask: mask_node, logic } =
            *fields;
        let mut choose = |node, default| self.choose_or(node, default, &Factor::ALL);
        let (src, dst_factor) = (choose(src_node, Factor::One), choose(dst, Factor::Zero));
        let src_alpha = choose(alphas[0], Factor::One);
        let dst_alpha = choose(alphas[1], Factor::Zero);
        for (node, chosen) in alphas.into_iter().zip([src_alpha, dst_alpha]) {
            if let (Some(node), Some(true)) = (node, chosen.map(is_colour)) {
                let error = Error::new(node.at.clone(), "the factor of alpha cannot be a colour");
                self.errors.push(error.help("use the factor that ends in `Alpha`"));
            }
        }
        let op = self.choose_or(op_node, BlendOp::Add, &BlendOp::ALL);
        let op_alpha = self.choose_or(op_alpha, BlendOp::Add, &BlendOp::ALL);
        let logic_op = logic.map(|it| self.choose(it, &LogicOp::ALL));
        let mask = self.uint_or(mask_node, 15);
        if let (Some(mask), Some(node)) = (mask, mask_node)
            && mask > 15
        {
            self.error::<()>(&node.at, "a write mask has four bits, red the lowest");
        }
        if let (Some(node), true) = (logic, src_node.is_some() || op_node.is_some()) {
            self.error::<()>(&node.at, "with `Logic` nothing is blended; leave out `Src` and `Op`");
        }
        let color = Equation { src: src?, dst: dst_factor?, op: op? };
        let alpha = Equation { src: src_alpha?, dst: dst_alpha?, op: op_alpha? };
        let logic = optional(logic_op)?;
        let blends = logic.is_none() && (src_node.is_some() || op_node.is_some());
        let used = [color.src, color.dst, alpha.src, alpha.dst];
        let is_minmax = |it: BlendOp| matches!(it, BlendOp::Min | BlendOp::Max);
        if used.into_iter().any(Factor::is_dual_source)
            && (is_minmax(color.op) || is_minmax(alpha.op))
        {
            let what = "two sources are added or subtracted; there is no `Min` or `Max` of them";
            self.error::<()>(&op_node.unwrap_or(node).at, what);
        }
        let blend = blends.then_some(Blend { color, alpha });
        Some(TargetState { blend, logic, write_mask: mask? as u8 })
    }
}

/// Whether a factor has a number for each colour, so that it cannot be one of alpha.
fn is_colour(factor: Factor) -> bool {
    matches!(
        factor,
        Factor::SrcColor
            | Factor::InvSrcColor
            | Factor::DestColor
            | Factor::InvDestColor
            | Factor::Src1Color
            | Factor::InvSrc1Color
    )
}
