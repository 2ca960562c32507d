//! Resources: how they are declared, and every access to them, and to groupshared and private memory.

use super::*;

impl<'a> Verifier<'a> {
    pub(super) fn resource(&mut self, resource: &'a Resource) {
        let name = &resource.name;
        let class = match &resource.kind {
            ResourceKind::Constant { .. } => RegisterClass::Constant,
            ResourceKind::Sampler { .. } => RegisterClass::Sampler,
            kind if kind.writable() => RegisterClass::Unordered,
            _ => RegisterClass::Shader,
        };
        let heap = match &resource.kind {
            ResourceKind::Sampler { .. } => RegisterClass::SamplerHeap,
            _ => RegisterClass::ResourceHeap,
        };
        // Push constants, and texture buffers, which are constants in the registers of textures.
        let other = matches!(resource.kind, ResourceKind::Constant { .. })
            && matches!(resource.register.class, RegisterClass::Push | RegisterClass::Shader);
        self.require(other || [class, heap].contains(&resource.register.class), || {
            format!("`{name}` binds to a register of the wrong class")
        });
        self.require(!resource.register.class.is_heap() || resource.count.is_none(), || {
            format!("`{name}` is a view of an unbounded descriptor heap, but has a count")
        });
        self.require(resource.count != Some(0), || {
            format!("`{name}` is an array with no elements")
        });
        if let Some(other) = resource.alias_of {
            self.alias(resource, other);
        }
        match &resource.kind {
            ResourceKind::Constant { size, members } => self.members(name, members, *size),
            ResourceKind::Structured { stride, members, counter, writable } => {
                self.require(*stride != 0, || format!("elements of `{name}` have size 0"));
                self.require(*writable || !counter, || {
                    format!("`{name}` has a counter but is read-only")
                });
                self.members(name, members, *stride);
            }
            ResourceKind::Raw { writable: _ } => {}
            ResourceKind::Sampler { comparison: _ }
            | ResourceKind::Scene
            | ResourceKind::Feedback { kind: _, array: _ } => {}
            ResourceKind::Typed { element, writable: _ }
            | ResourceKind::Texture { element, writable: _, dim: _ } => {
                let components = element.components;
                self.require((1..=4).contains(&components), || {
                    format!("texels of `{name}` have {components} components")
                });
            }
        }
    }

    /// Engines find the memory of an alias in one step, and read constants and hidden counters elsewhere.
    fn alias(&mut self, resource: &'a Resource, other: Binding) {
        let can_share = |it: &Resource| {
            let view = it.kind.view();
            view.is_buffer()
                && view.contents == Contents::Buffer
                && !view.counter
                && it.count == Some(1)
        };
        let other = self.module.resources.get(other.index());
        let is_sound = other.is_some_and(|other| {
            can_share(resource)
                && can_share(other)
                && other.alias_of.is_none()
                && !std::ptr::eq(resource, other)
        });
        self.require(is_sound, || {
            format!(
                "`{}` is the alias of what is not another buffer with memory of its own",
                resource.name
            )
        });
    }

    fn members(&mut self, resource: &str, members: &'a [Member], size: u32) {
        for member in members {
            let Member {
                name,
                offset,
                scalar,
                components,
                vectors,
                vector_stride,
                row_major: _,
                dims,
            } = member;
            let shape = (1..=4).contains(components)
                && (1..=4).contains(vectors)
                && dims.iter().all(|(count, _)| *count != 0);
            self.require(shape, || {
                format!("the member `{name}` of `{resource}` has an impossible shape")
            });
            let span =
                |count: u32, stride: u32| u64::from(count.saturating_sub(1)) * u64::from(stride);
            let arrays = dims
                .iter()
                .fold(0, |sum: u64, (count, stride)| sum.saturating_add(span(*count, *stride)));
            let one =
                span(*vectors, *vector_stride) + u64::from(*components) * u64::from(scalar.bytes());
            let end = u64::from(*offset).saturating_add(arrays).saturating_add(one);
            self.require(end <= u64::from(size), || {
                format!("the member `{name}` of `{resource}` ends at byte {end}, beyond {size}")
            });
        }
    }

    pub(super) fn size(&mut self, place: Place, results: &'a [Value]) {
        let wanted = match self.place(place).map(|resource| &resource.kind) {
            Some(ResourceKind::Constant { .. }) => {
                return self.problem("the size of a constant buffer cannot be queried");
            }
            Some(
                ResourceKind::Texture { .. }
                | ResourceKind::Sampler { .. }
                | ResourceKind::Scene
                | ResourceKind::Feedback { .. },
            ) => {
                return self.problem("only buffers have a single size");
            }
            Some(ResourceKind::Structured { .. }) if results.len() == 2 => [Ty::I32; 2].as_slice(),
            _ => &[Ty::I32],
        };
        self.gives(results, wanted);
    }

    pub(super) fn counter(&mut self, place: Place, delta: i32, results: &'a [Value]) {
        if let Some(resource) = self.place(place) {
            let has = matches!(&resource.kind, ResourceKind::Structured { counter: true, .. });
            self.require(has, || format!("`{}` has no counter", resource.name));
        }
        self.require(matches!(delta, 1 | -1), || {
            format!("a counter changes by 1 or -1, not by {delta}")
        });
        self.gives(results, &[Ty::I32]);
    }

    /// The type that an atomic operation works on.
    pub(super) fn atomic(&mut self, op: Atomic, types: &[Ty], results: &[Value]) -> Option<Ty> {
        let (count, floats) = match op {
            Atomic::CompareExchange => (2, true),
            Atomic::Exchange => (1, true),
            Atomic::Add
            | Atomic::And
            | Atomic::Or
            | Atomic::Xor
            | Atomic::Min(_)
            | Atomic::Max(_) => (1, false),
        };
        let ty = types.first().copied().unwrap_or(Ty::Bool);
        let works = matches!(ty, Ty::I32 | Ty::I64) || floats && ty == Ty::F32;
        if !works || types != vec![ty; count] {
            self.problem(format!("the atomic operation does not take {}", Types(types)));
            return None;
        }
        if !results.is_empty() {
            self.gives(results, &[ty]);
        }
        Some(ty)
    }

    // Memory.

    fn place(&mut self, place: Place) -> Option<&'a Resource> {
        let Place { binding, element } = place;
        if let Some(element) = element {
            self.takes("the types of the array element", &[element], &[Ty::I32]);
        }
        let found = self.module.resources.get(binding.index());
        match found {
            Some(resource) => self.require(resource.used, || {
                format!("`{}` is used but not marked as used", resource.name)
            }),
            None => self.problem(format!("{binding} does not exist")),
        }
        found
    }

    /// Checks a load, a store or an atomic operation on these scalars.
    pub(super) fn access(&mut self, place: Place, at: Address, types: &[Ty], writes: bool) {
        let address: Vec<Value> = at.operands().collect();
        let is_checked = matches!(at, Address::Within { .. });
        let wanted = [Ty::I32, if is_checked { Ty::Bool } else { Ty::I32 }];
        self.takes("the types of the address", &address, &wanted[..address.len()]);
        let Some(resource) = self.place(place) else { return };
        let name = &resource.name;
        let suits = match (&resource.kind, at) {
            (ResourceKind::Constant { .. } | ResourceKind::Raw { .. }, Address::Byte(_))
            | (ResourceKind::Structured { .. }, Address::Structured { .. })
            | (ResourceKind::Typed { .. }, Address::Texel(_)) => true,
            (
                ResourceKind::Constant { .. }
                | ResourceKind::Raw { .. }
                | ResourceKind::Structured { .. },
                Address::Within { bytes, .. },
            ) => types.iter().all(|it| [it.bytes(), it.bytes().min(4)].contains(&bytes)),
            (ResourceKind::Typed { .. }, Address::Within { bytes, .. }) => types.iter().all(|it| {
                let is_byte = bytes == 1 && *it == Ty::I32;
                bytes == 0 || is_byte || [it.bytes(), it.bytes().min(4)].contains(&bytes)
            }),
            (
                ResourceKind::Constant { .. }
                | ResourceKind::Raw { .. }
                | ResourceKind::Structured { .. }
                | ResourceKind::Typed { .. }
                | ResourceKind::Texture { .. }
                | ResourceKind::Sampler { .. }
                | ResourceKind::Scene
                | ResourceKind::Feedback { .. },
                Address::Byte(_)
                | Address::Structured { .. }
                | Address::Texel(_)
                | Address::Within { .. },
            ) => false,
        };
        self.require(suits, || format!("the address does not suit the kind of `{name}`"));
        self.require(!writes || resource.kind.writable(), || format!("`{name}` is read-only"));
        let most =
            if matches!(resource.kind, ResourceKind::Typed { .. }) { 4 } else { MOST_SCALARS };
        self.require((1..=most).contains(&types.len()), || {
            format!("an access of {} scalars, not 1 to {most}", types.len())
        });
        let alike = types.iter().all(|ty| *ty == types[0]);
        self.require(alike, || {
            format!("one access moves scalars of several types: {}", Types(types))
        });
    }

    pub(super) fn ray(&mut self, ray: &'a Ray, results: &'a [Value]) {
        let Ray { op, query, scene, args } = ray;
        self.require(op.exists(), || "a query has no such field".to_owned());
        self.takes("the operands", args, &op.args());
        self.gives(results, &op.results());
        self.require(query.is_some() == (*op == RayOp::Allocate), || {
            "a new query names its slots, and no other operation does".to_owned()
        });
        self.require(scene.is_some() == (*op == RayOp::Trace), || {
            "a trace names its scene, and no other operation does".to_owned()
        });
        if let Some(query) = query {
            let exists = query.index() < self.module.queries.len();
            self.require(exists, || format!("{query} does not exist"));
        }
        if let Some(resource) = scene.and_then(|it| self.place(it)) {
            self.require(resource.kind == ResourceKind::Scene, || {
                format!("`{}` is not a scene", resource.name)
            });
        }
    }

    pub(super) fn texture(&mut self, texture: &'a Texture, results: &'a [Value]) {
        let Texture { op, texture, sampler, map, args } = texture;
        let found = self.place(*texture);
        if let Some(sampler) = sampler {
            let found = self.place(*sampler);
            let is_sampler = found.is_none_or(|it| matches!(it.kind, ResourceKind::Sampler { .. }));
            self.require(is_sampler, || "the sampler operand is not a sampler".to_owned());
        }
        self.require(sampler.is_some() == op.samples(), || {
            "a sampler is missing or superfluous".to_owned()
        });
        let is_feedback = op.is_feedback();
        self.require(map.is_some() == is_feedback, || {
            "a feedback map is missing or superfluous".to_owned()
        });
        let map = map.and_then(|it| self.place(it));
        let Some(resource) = found else { return };
        let (dim, writable) = match resource.kind {
            ResourceKind::Texture { dim, writable, element: _ } => (dim, writable),
            // The size of a map is that of its texture.
            ResourceKind::Feedback { array, kind: _ } if *op == TextureOp::Size => {
                (if array { Dim::D2Array } else { Dim::D2 }, false)
            }
            _ => return self.problem(format!("`{}` is not a texture", resource.name)),
        };
        if let Some(map) = map {
            let wanted = dim.is_array();
            let suits = matches!(map.kind, ResourceKind::Feedback { array, .. } if array == wanted);
            self.require(suits, || {
                format!("`{}` is not a feedback map for `{}`", map.name, resource.name)
            });
        }
        self.require(op.takes(dim, writable), || {
            format!("the operation does not work on the texture `{}`", resource.name)
        });
        let roles = ROLES.iter().zip(args.by_role()).zip(op.operands(dim, writable));
        for ((role, values), counts) in roles {
            let fits = counts.allowed.contains(&values.len());
            self.require(fits, || {
                format!("wrong number of operands for `{role}`: {}", values.len())
            });
            self.takes(&format!("the types of `{role}`"), values, &vec![counts.ty; values.len()]);
        }
        let alike =
            |types: &[Ty]| (1..=4).contains(&types.len()) && types.iter().all(|ty| *ty == types[0]);
        let types = self.types_of(results);
        match op {
            TextureOp::Load | TextureOp::Sample(_) => {
                self.require(alike(&types), || format!("a texel cannot be {}", Types(&types)));
            }
            TextureOp::Gather(_) => {
                let fine = types.len() == 4 && alike(&types);
                self.require(fine, || format!("four components cannot be {}", Types(&types)));
            }
            TextureOp::Store => {
                let types = self.operands(&args.values).unwrap_or_else(|| vec![Ty::F32]);
                self.require(alike(&types), || format!("a texel cannot be {}", Types(&types)));
                self.gives(results, &[]);
            }
            TextureOp::Atomic(op) => {
                if let Some(types) = self.operands(&args.values) {
                    self.atomic(*op, &types, results);
                }
            }
            TextureOp::Compare(_)
            | TextureOp::LevelOfDetail
            | TextureOp::LevelOfDetailUnclamped => self.gives(results, &[Ty::F32]),
            TextureOp::GatherCompare(_) => self.gives(results, &[Ty::F32; 4]),
            TextureOp::Feedback(_) => self.gives(results, &[]),
            TextureOp::Size => {
                self.gives(results, &vec![Ty::I32; TextureOp::sizes(dim, writable)]);
            }
        }
        self.require(op.writes() || args.values.is_empty(), || {
            "only stores and atomic operations have values".to_owned()
        });
    }

    /// The type of the scalars in an indexed groupshared or private memory.
    pub(super) fn memory(&mut self, memory: Option<&'a Memory>, index: Value) -> Option<Ty> {
        self.takes("the types of the index", &[index], &[Ty::I32]);
        if memory.is_none() {
            self.problem("the memory does not exist");
        }
        memory.map(|memory| memory.ty)
    }

    pub(super) fn memory_load(
        &mut self,
        memory: Option<&'a Memory>,
        index: Value,
        results: &[Value],
    ) {
        if let Some(ty) = self.memory(memory, index) {
            self.gives(results, &[ty]);
        }
    }

    pub(super) fn memory_store(
        &mut self,
        memory: Option<&'a Memory>,
        index: Value,
        value: Value,
        results: &[Value],
    ) {
        if let Some(ty) = self.memory(memory, index) {
            self.takes("the stored types", &[value], &[ty]);
        }
        self.gives(results, &[]);
    }
}
