//! The declarations at the head of a module: signatures, resources, memories, messages.

use super::*;
use crate::notes::Scope;

impl Reader<'_> {
    /// The signature of a stage, line by line.
    pub(super) fn stage_io(&mut self) -> Read<StageIo> {
        let mut io = StageIo {
            inputs: self.elements("input")?,
            outputs: self.elements("output")?,
            ..StageIo::default()
        };
        if self.eat_word("pixel")? {
            loop {
                let traits = |word: &str| TRAITS.iter().find(|(name, _)| *name == word);
                *(self.word("a trait of pixel shaders", traits)?.1)(&mut io.pixel) = true;
                if !self.eat_sign(",")? {
                    break;
                }
            }
            self.newline()?;
        }
        io.traits = self.stage_traits()?;
        Ok(io)
    }

    fn stage_traits(&mut self) -> Read<StageTraits> {
        let reads_patch = self.eat_word("geometry_of_patches")?;
        if reads_patch || self.eat_word("geometry")? {
            let [vertices, most_vertices, instances] = self.triple()?;
            self.newline()?;
            let mut streams = Vec::new();
            while self.eat_word("stream")? {
                let corners = self.number()?;
                self.newline()?;
                streams.push(stage::Stream { corners, elements: self.elements("emitted")? });
            }
            let traits =
                GeometryTraits { vertices, reads_patch, most_vertices, instances, streams };
            return Ok(StageTraits::Geometry(Box::new(traits)));
        }
        if self.eat_word("hull")? {
            let domain = self.named("a domain")?;
            let partitioning = self.named("a partitioning")?;
            let topology = self.named("a topology")?;
            let read = self.number()?;
            self.sign(",")?;
            let made = self.number()?;
            self.newline()?;
            return Ok(StageTraits::Hull(HullTraits {
                domain,
                partitioning,
                topology,
                read,
                made,
            }));
        }
        if self.eat_word("domain")? {
            let domain = self.named("a domain")?;
            let points = self.number()?;
            self.newline()?;
            return Ok(StageTraits::Domain { domain, points });
        }
        Ok(StageTraits::Plain)
    }

    pub(super) fn group_io(&mut self) -> Read<GroupIo> {
        let payload = self.number()?;
        self.newline()?;
        let mut mesh = None;
        if self.eat_word("mesh")? {
            let [corners, most_vertices, most_primitives] = self.triple()?;
            self.newline()?;
            mesh = Some(MeshIo {
                corners: u8::try_from(corners).unwrap_or(u8::MAX),
                most_vertices,
                most_primitives,
                vertices: self.elements("vertex")?,
                primitives: self.elements("primitive")?,
            });
        }
        Ok(GroupIo { payload, mesh })
    }

    /// The lines of elements that begin with this word.
    fn elements(&mut self, word: &str) -> Read<Vec<stage::Element>> {
        let mut elements = Vec::new();
        while self.eat_word(word)? {
            elements.push(self.stage_element()?);
            self.newline()?;
        }
        Ok(elements)
    }

    fn stage_element(&mut self) -> Read<stage::Element> {
        let semantic = self.string()?;
        let index = self.number()?;
        self.sign(":")?;
        let scalar = self.named("a scalar type")?;
        self.keyword("x")?;
        let components = self.number()?;
        let mode = self.named("a mode of interpolation")?;
        let interpolation = Interpolation { mode, place: self.named("a place in the pixel")? };
        let holder = if self.eat_word("vertex")? {
            Holder::Vertex(self.number()?)
        } else if self.eat_word("point")? {
            Holder::Point(self.number()?)
        } else if self.eat_word("patch")? {
            Holder::Patch
        } else {
            Holder::Own
        };
        let system = match self.eat_word("system")? {
            true => Some(self.named("a system value")?),
            false => None,
        };
        let span = self.span()?;
        Ok(stage::Element {
            semantic,
            index,
            scalar,
            components,
            interpolation,
            holder,
            system,
            span,
        })
    }

    /// A resource, a memory, a scope, a variable, or the mark of a value.
    pub(super) fn declaration(&mut self, module: &mut Module) -> Read<()> {
        if self.eat_word("scope")? {
            let function = self.string()?;
            let caller = if self.eat_word("in")? { Some(ScopeId(self.number()?)) } else { None };
            let call = self.span()?;
            module.notes.scopes.push(Scope { function, call, caller, innermost: None });
            return Ok(());
        }
        if self.eat_word("variable")? {
            let name = self.string()?;
            self.sign(":")?;
            let values = self.values()?;
            let span = self.span()?;
            module.variables.push(Variable { name, values, span });
            return Ok(());
        }
        if self.eat_word("non_uniform")? {
            let at = self.at;
            let values = self.values()?;
            let [value] = values[..] else { return Err(at.error("expected one value")) };
            module.non_uniform.push((value, self.span()?));
            return Ok(());
        }
        let at = self.at;
        let what =
            "a resource, a memory, queries, a message, a scope, a variable, a mark or `body`";
        let kinds = [
            (RESOURCE, module.resources.len()),
            (SHARED, module.groupshared.len()),
            (PRIVATE, module.privates.len()),
            (MESSAGE, module.messages.len()),
            (QUERY, module.queries.len()),
        ];
        let (prefix, next, number) = self.word(what, |word| {
            kinds.into_iter().find_map(|(prefix, next)| Some((prefix, next, entity(word, prefix)?)))
        })?;
        if number as usize != next {
            return Err(at.error(format!("expected `{prefix}{next}`")));
        }
        if prefix == MESSAGE {
            let message = self.message()?;
            module.messages.push(message);
            return Ok(());
        }
        let name = self.string()?;
        self.sign(":")?;
        match prefix {
            RESOURCE => {
                let resource = self.resource(name)?;
                module.resources.push(resource);
            }
            QUERY => {
                let query = self.query(name)?;
                module.queries.push(query);
            }
            SHARED => {
                let memory = self.memory(name)?;
                module.groupshared.push(memory);
            }
            _ => {
                let memory = self.memory(name)?;
                module.privates.push(memory);
            }
        }
        Ok(())
    }

    fn message(&mut self) -> Read<MessageData> {
        let kind = self.named("a kind of message")?;
        let format = self.string()?;
        let mut types = Vec::new();
        while let Token::Word(_) = self.token {
            types.push(self.ty()?);
            if !self.eat_sign(",")? {
                break;
            }
        }
        Ok(MessageData { kind, format, types })
    }

    fn query(&mut self, name: String) -> Read<QueryData> {
        let flags = self.number()?;
        self.keyword("x")?;
        let len = self.number()?;
        Ok(QueryData { name, flags, len, span: self.span()? })
    }

    fn memory(&mut self, name: String) -> Read<Memory> {
        let ty = self.ty()?;
        self.keyword("x")?;
        let len = self.number()?;
        Ok(Memory { name, ty, len, span: self.span()? })
    }

    pub(super) fn ty(&mut self) -> Read<Ty> {
        self.word("a type", Ty::by_name)
    }

    fn resource(&mut self, name: String) -> Read<Resource> {
        let (word, writable) = self.word("a kind of resource", |word| {
            let (word, writable) =
                word.strip_suffix(".rw").map_or((word, false), |word| (word, true));
            Some((KindWord::by_name(word)?, writable))
        })?;
        let mut kind = match word {
            KindWord::Constant if writable => {
                return self.expected("a constant buffer that is not writable");
            }
            KindWord::Constant => {
                ResourceKind::Constant { size: self.number()?, members: Vec::new() }
            }
            KindWord::Structured => {
                let stride = self.number()?;
                let counter = self.eat_word("counter")?;
                ResourceKind::Structured { writable, stride, members: Vec::new(), counter }
            }
            KindWord::Raw => ResourceKind::Raw { writable },
            KindWord::Typed => ResourceKind::Typed { writable, element: self.element()? },
            KindWord::Texture => {
                let dim = self.named("a kind of texture")?;
                ResourceKind::Texture { dim, writable, element: self.element()? }
            }
            KindWord::Sampler if writable => {
                return self.expected("a sampler that is not writable");
            }
            KindWord::Scene if writable => {
                return self.expected("a scene that is not writable");
            }
            KindWord::Scene => ResourceKind::Scene,
            KindWord::Feedback if !writable => {
                return self.expected("a feedback map that is writable");
            }
            KindWord::Feedback => {
                let kind = self.named("a kind of feedback")?;
                ResourceKind::Feedback { kind, array: self.eat_word("array")? }
            }
            KindWord::Sampler => ResourceKind::Sampler { comparison: self.eat_word("comparison")? },
        };
        self.keyword("at")?;
        let register = self.register()?;
        let count = match self.eat_word("count")? {
            false => Some(1),
            true if self.eat_word("any")? => None,
            true => Some(self.number()?),
        };
        let chosen = if self.eat_word("by_register")? {
            Chosen::Register
        } else if self.eat_word("by_binding")? {
            Chosen::Binding
        } else {
            Chosen::Counted
        };
        let globally_coherent = self.eat_word("coherent")?;
        let alias_of = match self.eat_word("alias_of")? {
            true => Some(Binding(self.entity(RESOURCE, "a resource")?)),
            false => None,
        };
        let used = self.eat_word("used")?;
        let span = self.span()?;
        if self.token == Token::Sign("{") {
            match &mut kind {
                ResourceKind::Constant { members, .. }
                | ResourceKind::Structured { members, .. } => *members = self.members()?,
                ResourceKind::Raw { .. }
                | ResourceKind::Typed { .. }
                | ResourceKind::Texture { .. }
                | ResourceKind::Sampler { .. }
                | ResourceKind::Scene
                | ResourceKind::Feedback { .. } => {
                    return self.expected("the end of the line");
                }
            }
        }
        Ok(Resource {
            name,
            kind,
            count,
            register,
            chosen,
            globally_coherent,
            alias_of,
            used,
            span,
        })
    }

    /// The content of typed buffers and textures: `f32 x 4 unorm`.
    fn element(&mut self) -> Read<Element> {
        let scalar: HostScalar = self.named("a scalar type")?;
        self.keyword("x")?;
        let components = self.number()?;
        let norm = match self.token {
            Token::Word(word) => Norm::by_name(word),
            _ => None,
        };
        if norm.is_some() {
            self.next()?;
        }
        Ok(Element { scalar, components, norm: norm.unwrap_or(Norm::None) })
    }

    fn register(&mut self) -> Read<Register> {
        let (class, index) = self.word("a register", |word| {
            let class = RegisterClass::by_name(word.get(..1)?)?;
            Some((class, entity(word, &word[..1])?))
        })?;
        let space = if self.eat_word("space")? { self.number()? } else { 0 };
        Ok(Register { class, index, space })
    }

    fn members(&mut self) -> Read<Vec<Member>> {
        let mut members = Vec::new();
        self.sign("{")?;
        self.newline()?;
        while !self.eat_sign("}")? {
            let name = self.string()?;
            self.sign(":")?;
            let scalar = self.named("a scalar type")?;
            self.keyword("x")?;
            let components = self.number()?;
            self.keyword("at")?;
            let offset = self.number()?;
            let (vectors, vector_stride) =
                if self.eat_word("vectors")? { self.count_by_stride()? } else { (1, 0) };
            let row_major = self.eat_word("row_major")?;
            let mut dims = Vec::new();
            if self.eat_word("array")? {
                dims.push(self.count_by_stride()?);
                while self.eat_sign(",")? {
                    dims.push(self.count_by_stride()?);
                }
            }
            self.newline()?;
            members.push(Member {
                name,
                offset,
                scalar,
                components,
                vectors,
                vector_stride,
                row_major,
                dims,
            });
        }
        Ok(members)
    }

    fn count_by_stride(&mut self) -> Read<(u32, u32)> {
        let count = self.number()?;
        self.keyword("by")?;
        Ok((count, self.number()?))
    }

    // The body.
}
