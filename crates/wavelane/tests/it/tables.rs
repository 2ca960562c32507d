//! What can be bound, and which tables a dispatch takes.

use wavelane::{
    BindProblem, Buffer, Dispatch, DispatchError, Options, ResourceTable, Sampler, Texture,
};

use crate::{devices, shader};

fn words(words: &[u32]) -> Buffer {
    Buffer::from_slice(words)
}

const ADD: &str = "StructuredBuffer<uint> In; RWStructuredBuffer<uint> Out;
    [numthreads(4, 1, 1)] void add(uint i : SV_GroupIndex) { Out[i] = In[i] + 1; }";
/// Declares the same, the other way round.
const SWAPPED: &str = "RWStructuredBuffer<uint> Out; StructuredBuffer<uint> In;
    [numthreads(4, 1, 1)] void swap(uint i : SV_GroupIndex) { Out[i] = In[i] + 1; }";
/// Declares more.
const MORE: &str = "StructuredBuffer<uint> In; RWStructuredBuffer<uint> Out;
    RWStructuredBuffer<uint> More;
    [numthreads(4, 1, 1)] void more(uint i : SV_GroupIndex) { Out[i] = In[i]; More[i] = 1; }";
/// Declares the same, and does something else.
const DOUBLED: &str = "StructuredBuffer<uint> In; RWStructuredBuffer<uint> Out;
    [numthreads(4, 1, 1)] void twice(uint i : SV_GroupIndex) { Out[i] = In[i] * 2; }";

/// A table for `ADD`, with what is bound to `In` and `Out`.
fn add_table() -> (ResourceTable, Buffer, Buffer) {
    let mut table = ResourceTable::new(&shader("add.hlsl", "add", ADD));
    let (input, output) = (words(&[1, 2, 3, 4]), words(&[0; 4]));
    table.bind("In", &input).unwrap();
    table.bind("Out", &output).unwrap();
    (table, input, output)
}

#[test]
fn a_table_of_another_shader_is_refused_on_every_engine() {
    for device in devices() {
        for (name, entry, text) in [("swapped.hlsl", "swap", SWAPPED), ("more.hlsl", "more", MORE)]
        {
            let pipeline = device.create_compute_pipeline(&shader(name, entry, text)).unwrap();
            let (table, input, output) = add_table();
            let error = pipeline.dispatch(&Dispatch::new([1, 1, 1]), &table).unwrap_err();
            assert_eq!(
                error,
                DispatchError::OtherShader {
                    table: "`add` of `add.hlsl`".to_owned(),
                    pipeline: format!("`{entry}` of `{name}`"),
                }
            );
            let message = error.to_string();
            assert!(
                message.contains("`add` of `add.hlsl`") && message.contains(entry),
                "{message}"
            );
            assert_eq!(input.read::<u32>().unwrap(), [1, 2, 3, 4]);
            assert_eq!(output.read::<u32>().unwrap(), [0; 4]);
        }
    }
}

#[test]
fn a_table_fits_a_shader_that_declares_the_same_resources() {
    for device in devices() {
        let pipeline =
            device.create_compute_pipeline(&shader("twice.hlsl", "twice", DOUBLED)).unwrap();
        let (table, input, output) = add_table();
        pipeline.dispatch(&Dispatch::new([1, 1, 1]), &table).unwrap();
        assert_eq!(output.read::<u32>().unwrap(), [2, 4, 6, 8]);
        assert_eq!(input.read::<u32>().unwrap(), [1, 2, 3, 4]);
    }
}

#[test]
fn a_buffer_that_is_written_is_bound_once() {
    for device in devices() {
        let add = shader("add.hlsl", "add", ADD);
        let pipeline = device.create_compute_pipeline(&add).unwrap();
        let both = words(&[1, 2, 3, 4]);
        let mut table = ResourceTable::new(&add);
        table.bind("In", &both).unwrap();
        table.bind("Out", &both).unwrap();
        let error = pipeline.dispatch(&Dispatch::new([1, 1, 1]), &table).unwrap_err();
        let (first, second) = ("In".to_owned(), "Out".to_owned());
        assert_eq!(error, DispatchError::Aliased { first, second });
        assert_eq!(both.read::<u32>().unwrap(), [1, 2, 3, 4]);
    }
}

#[test]
fn a_buffer_that_is_only_read_can_be_bound_twice() {
    let text = "StructuredBuffer<uint> A; StructuredBuffer<uint> B; RWStructuredBuffer<uint> Out;
        [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { Out[i] = A[i] + 10 * B[i]; }";
    for device in devices() {
        let shader = shader("twice.hlsl", "main", text);
        let pipeline = device.create_compute_pipeline(&shader).unwrap();
        let (both, out) = (words(&[1, 2, 3, 4]), Buffer::zeroed::<u32>(4));
        let mut table = ResourceTable::new(&shader);
        table.bind("A", &both).unwrap();
        table.bind("B", &both).unwrap();
        table.bind("Out", &out).unwrap();
        pipeline.dispatch(&Dispatch::new([1, 1, 1]), &table).unwrap();
        assert_eq!(out.read::<u32>().unwrap(), [11, 22, 33, 44]);
        assert_eq!(both.read::<u32>().unwrap(), [1, 2, 3, 4]);
    }
}

#[test]
fn kinds_of_resources_are_distinguished() {
    let text = "Texture2D<float4> Image; SamplerState Smooth; RWStructuredBuffer<float4> Out;
        [numthreads(1, 1, 1)] void main() { Out[0] = Image.SampleLevel(Smooth, 0.5, 0); }";
    let shape = wavelane::texture::Shape::new(
        wavelane::texture::Format::parse("RGBA32_FLOAT").unwrap(),
        2,
        1,
        1,
    );
    let image = Texture::from_slice(shape, &[[0.0f32; 4], [1.0; 4]]).unwrap();
    for device in devices() {
        let shader = shader("image.hlsl", "main", text);
        let pipeline = device.create_compute_pipeline(&shader).unwrap();
        let out = Buffer::zeroed::<[f32; 4]>(1);
        let mut table = ResourceTable::new(&shader);
        let mut problem = |name: &str, what: wavelane::Bindable| {
            table.bind(name, what).err().map(|it| it.problem)
        };
        assert_eq!(problem("Image", (&out).into()), Some(BindProblem::NoTexture));
        assert_eq!(problem("Smooth", (&image).into()), Some(BindProblem::NoSampler));
        assert_eq!(problem("Out", Sampler::linear().into()), Some(BindProblem::NoBuffer));
        assert_eq!(problem("Image", (&image).into()), None);
        assert_eq!(problem("Smooth", Sampler::linear().into()), None);
        assert_eq!(problem("Out", (&out).into()), None);
        pipeline.dispatch(&Dispatch::new([1, 1, 1]), &table).unwrap();
        assert_eq!(out.read::<[f32; 4]>().unwrap(), [[0.5; 4]]);
        table.bind("Smooth", Sampler::nearest()).unwrap();
        pipeline.dispatch(&Dispatch::new([1, 1, 1]), &table).unwrap();
        assert_eq!(out.read::<[f32; 4]>().unwrap(), [[1.0; 4]]);
    }
}

#[test]
fn a_text_that_is_not_a_shader_is_reported_with_its_places() {
    let text = "[numthreads(1, 1, 1)] void main() { uint a = b; }";
    let compiled =
        wavelane::Shader::compile("a.hlsl", text, &Options::default(), &mut wavelane::NoIncludes);
    let error = compiled.unwrap().shader().unwrap_err();
    let message = error.to_string();
    assert!(message.contains("a.hlsl:1:46") && message.contains("error"), "{message}");
    assert_eq!(error.diagnostics.len(), 1);
}

/// Every error can be given on with `?`.
#[test]
fn errors_are_errors() {
    fn is_error<E: std::error::Error + Send + Sync + 'static>() {}
    is_error::<wavelane::AdapterError>();
    is_error::<wavelane::BindError>();
    is_error::<wavelane::BufferError>();
    is_error::<wavelane::Bug>();
    is_error::<wavelane::ConstantError>();
    is_error::<DispatchError>();
    is_error::<wavelane::ExamineError>();
    is_error::<wavelane::ExecuteError>();
    is_error::<wavelane::Failure>();
    is_error::<wavelane::ForeignError>();
    is_error::<wavelane::PipelineError>();
    is_error::<wavelane::Trap>();
    is_error::<wavelane::Unsupported>();
    is_error::<wavelane::emit::CannotEmit>();
    is_error::<wavelane::CompileError>();
    fn host() -> Result<(), Box<dyn std::error::Error>> {
        wavelane::CudaGpu::open(Some("no such device"))?;
        Ok(())
    }
    assert!(host().unwrap_err().to_string().starts_with("unsupported: "));
}
