//! Reads the dispatches of a job: `DispatchParameters`, or `Passes`, of which each is one.

use super::*;

/// The most dispatches of a job, each repetition counted.
const MOST_DISPATCHES: u32 = 4096;

impl Reader {
    pub(super) fn dispatch(&mut self, node: Option<&Node>) -> Option<[u32; 3]> {
        let Some(node) = node else { return Some([1, 1, 1]) };
        let mut fields = self.fields(node, "`DispatchParameters`")?;
        let groups_node = fields.get("DispatchGroupCount");
        let vertices = fields.get("VertexCount");
        self.done(fields);
        if let Some(node) = vertices {
            self.uint(node)?;
        }
        self.groups(groups_node)
    }

    fn groups(&mut self, node: Option<&Node>) -> Option<[u32; 3]> {
        let groups = self.each(node, "`DispatchGroupCount`", Reader::uint)?;
        match (groups.as_slice(), node) {
            ([], _) => Some([1, 1, 1]),
            ([x, y, z], _) => Some([*x, *y, *z]),
            (_, Some(node)) => self.error(&node.at, "a dispatch has three dimensions: [ X, Y, Z ]"),
            (_, None) => Some([1, 1, 1]),
        }
    }

    /// All passes of a job; it has none if it is one dispatch.
    pub(super) fn passes(
        &mut self,
        node: Option<&Node>,
        dispatch: Option<&Node>,
        shaders: &[Shader],
        buffers: &[Buffer],
    ) -> Option<Vec<Pass>> {
        let Some(node) = node else { return Some(Vec::new()) };
        if let Some(dispatch) = dispatch {
            let what = "a job has either `Passes` or `DispatchParameters`, not both";
            let help = "give each pass its `DispatchGroupCount`";
            self.errors.push(Error::new(dispatch.at.clone(), what).help(help));
        }
        self.unique(shaders.iter().map(|it| (it.entry.as_str(), it.at.clone())), "entry point");
        for shader in shaders.iter().filter(|it| it.stage != Stage::Compute) {
            self.error::<()>(&shader.at, "the shaders of a job with `Passes` are compute shaders");
        }
        let mut dispatches = 0u32;
        let list = self.list(node, "`Passes`")?;
        if list.is_empty() {
            return self.error(&node.at, "`Passes` has no pass");
        }
        let mut passes = Vec::new();
        let mut is_whole = true;
        for node in list {
            let pass = self.pass(node, shaders, buffers);
            is_whole &= pass.is_some();
            let Some(pass) = pass else { continue };
            let before = dispatches;
            dispatches = dispatches.saturating_add(pass.repeat);
            if before <= MOST_DISPATCHES && dispatches > MOST_DISPATCHES {
                let what = format!("with this pass, the job has {dispatches} dispatches");
                let help = format!("a job has at most {MOST_DISPATCHES}, repetitions included");
                self.errors.push(Error::new(pass.at.clone(), what).help(help));
            }
            passes.push(pass);
        }
        is_whole.then_some(passes)
    }

    fn pass(&mut self, node: &Node, shaders: &[Shader], buffers: &[Buffer]) -> Option<Pass> {
        let mut fields = self.fields(node, "a pass")?;
        let entry_node = self.required(&mut fields, "Entry");
        let count = fields.get("DispatchGroupCount");
        let indirect = fields.get("Indirect");
        let set = fields.get("Set");
        let bind = fields.get("Bind");
        let repeat_node = fields.get("Repeat");
        self.done(fields);
        let entry = entry_node.and_then(|it| self.entry(it, shaders));
        let groups = match (count, indirect) {
            (Some(_), Some(indirect)) => self.error(
                &indirect.at,
                "a pass has either a `DispatchGroupCount` or `Indirect`, not both",
            ),
            (_, Some(indirect)) => self.indirect(indirect, buffers),
            (count, None) => self.groups(count).and_then(|groups| {
                let most = wavelane::MOST_GROUPS;
                match (groups.iter().find(|it| **it > most), count) {
                    (Some(groups), Some(node)) => {
                        let what = format!("{groups} groups in one dimension; at most {most}");
                        self.error(&node.at, what)
                    }
                    _ => Some(Groups::Count(groups)),
                }
            }),
        };
        let set = self.entries(set, "`Set`", |it, key, node| it.setting(key, node));
        let bind = self.entries(bind, "`Bind`", |it, key, node| {
            let buffer = it.find(node, "buffer", buffers, |it| &it.name)?;
            Some(Rebinding { resource: key.name.clone(), buffer, at: key.at.clone() })
        });
        let repeat = self.uint_or(repeat_node, 1);
        if let (Some(0), Some(node)) = (repeat, repeat_node) {
            let error = Error::new(node.at.clone(), "a pass runs at least once");
            self.errors.push(error.help("leave the pass out, or make it a comment"));
        }
        let at = entry_node.map_or(node.at.clone(), |it| it.at.clone());
        let (entry, groups, set) = (entry?, groups?, set?);
        Some(Pass { entry, groups, set, bind: bind?, repeat: repeat?, at })
    }

    fn entry(&mut self, node: &Node, shaders: &[Shader]) -> Option<usize> {
        let name = self.text(node)?;
        if let Some(index) = shaders.iter().position(|it| it.entry == name) {
            return Some(index);
        }
        let error = Error::new(node.at.clone(), format!("`Shaders` lists no entry point `{name}`"));
        let help = did_you_mean(name, shaders.iter().map(|it| it.entry.as_str()));
        self.errors.push(match help {
            Some(help) => error.help(help),
            None => error.help(format!("- {{ Stage: Compute, Entry: {name} }}")),
        });
        None
    }

    /// Group counts in a buffer, whose size the job knows.
    fn indirect(&mut self, node: &Node, buffers: &[Buffer]) -> Option<Groups> {
        let mut fields = self.fields(node, "`Indirect`")?;
        let buffer_node = self.required(&mut fields, "Buffer");
        let buffer = buffer_node.and_then(|it| self.find(it, "buffer", buffers, |it| &it.name));
        let offset_node = fields.get("Offset");
        let offset = self.uint_or(offset_node, 0);
        self.done(fields);
        let (buffer, offset) = (buffer?, offset?);
        let at = offset_node.map_or(node.at.clone(), |it| it.at.clone());
        let Buffer { name, data, .. } = &buffers[buffer];
        let size = buffers[buffer].size();
        if data.len() > 1 {
            return self.error(&buffer_node?.at, format!("`{name}` is an array of buffers"));
        }
        if !offset.is_multiple_of(4) {
            return self.error(
                &at,
                format!("group counts begin at a multiple of 4 bytes, not at {offset}"),
            );
        }
        if u64::from(offset) + 12 > size as u64 {
            let what = format!(
                "`{name}` has {size} bytes, and three group counts at {offset} do not lie within them"
            );
            return self.error(&at, what);
        }
        Some(Groups::Indirect { buffer, offset: offset as usize, at: node.at.clone() })
    }

    fn setting(&mut self, key: &Key, node: &Node) -> Option<Setting> {
        let mut values = Vec::new();
        let mut open = vec![node];
        // Matrices may be lists of rows.
        while let Some(node) = open.pop() {
            match &node.kind {
                NodeKind::List(list) => open.extend(list.iter().rev()),
                NodeKind::Scalar(_) | NodeKind::Map(_) => values.push(self.text(node)?.to_owned()),
            }
        }
        Some(Setting {
            name: key.name.clone(),
            values,
            at: key.at.clone(),
            value_at: node.at.clone(),
        })
    }

    /// The entries of a mapping whose keys are names of the user.
    fn entries<T>(
        &mut self,
        node: Option<&Node>,
        what: &str,
        read: impl Fn(&mut Reader, &Key, &Node) -> Option<T>,
    ) -> Option<Vec<T>> {
        let Some(node) = node else { return Some(Vec::new()) };
        let entries = self.fields(node, what)?.entries;
        let read: Vec<Option<T>> =
            entries.iter().map(|(key, node)| read(self, key, node)).collect();
        read.into_iter().collect()
    }
}
