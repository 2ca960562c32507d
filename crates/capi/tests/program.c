/* A C program that uses every function of the interface; it exits with the line of the first check that fails. */

#include "wavelane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                       \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            fprintf(stderr, "%s:%d: %s\n%s\n", __FILE__, __LINE__, #condition, wl_last_error()); \
            exit(1);                                                                           \
        }                                                                                      \
    } while (0)

static const char TEXT[] =
    "cbuffer Params { uint Amount; float Scale; };\n"
    "StructuredBuffer<uint> In;\n"
    "RWStructuredBuffer<uint> Out;\n"
    "[numthreads(GROUP, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {\n"
    "    Out[id.x] = In[id.x] + WaveActiveSum(Amount) + uint(Scale);\n"
    "}\n";

static WlStatus compile(const char *text, WlShader **shader) {
    WlDefine define = {"GROUP", "32"};
    return wl_compile(text, strlen(text), "add.hlsl", "main", &define, 1, shader);
}

static void runs_in_place(const char *engine) {
    WlShader *shader = NULL;
    WlPipeline *pipeline = NULL;
    WlTable *table = NULL;
    CHECK(compile(TEXT, &shader) == WL_OK);
    CHECK(wl_pipeline(shader, engine, 2, &pipeline) == WL_OK);
    CHECK(wl_table(shader, &table) == WL_OK);
    wl_shader_free(shader);

    enum { COUNT = 4096 };
    static uint32_t in[COUNT];
    uint32_t *out = malloc(COUNT * sizeof *out);
    for (uint32_t i = 0; i < COUNT; i++) {
        in[i] = i;
        out[i] = 0;
    }
    const int64_t amount = 2;
    const double scale = 3.5;
    CHECK(wl_bind_read_only(table, "In", in, sizeof in) == WL_OK);
    CHECK(wl_bind(table, "Out", out, COUNT * sizeof *out) == WL_OK);
    CHECK(wl_set_integers(table, "Amount", &amount, 1) == WL_OK);
    CHECK(wl_set_floats(table, "Scale", &scale, 1) == WL_OK);
    for (uint32_t width = 4; width <= 32; width *= 2) {
        WlLaunch launch = {COUNT / 32, 1, 1, width, 0};
        CHECK(wl_dispatch(pipeline, &launch, table) == WL_OK);
        for (uint32_t i = 0; i < COUNT; i++) {
            CHECK(out[i] == i + 2 * width + 3);
        }
    }
    wl_table_free(table);
    wl_pipeline_free(pipeline);
    free(out);
}

static const char FINDINGS[] =
    "RWStructuredBuffer<uint> Out;\n"
    "[numthreads(32, 1, 1)] void main(uint i : SV_GroupIndex) {\n"
    "    if (i & 1) Out[i] = WaveReadLaneAt(i, 0);\n"
    "}\n";
/* The same with a comment for each of its findings. */
static const char ALLOWED[] =
    "RWStructuredBuffer<uint> Out;\n"
    "[numthreads(32, 1, 1)] void main(uint i : SV_GroupIndex) {\n"
    "    // wavelane: allow(inactive-lane-read, width-dependent-result): the test wants them\n"
    "    if (i & 1) Out[i] = WaveReadLaneAt(i, 0);\n"
    "}\n";

static void examines(const char *text, int expected) {
    WlShader *shader = NULL;
    WlPipeline *pipeline = NULL;
    WlTable *table = NULL;
    WlText *report = NULL;
    size_t findings = 0;
    uint32_t out[32] = {0};
    CHECK(compile(text, &shader) == WL_OK);
    CHECK(wl_pipeline(shader, "interp", 1, &pipeline) == WL_OK);
    CHECK(wl_table(shader, &table) == WL_OK);
    CHECK(wl_bind(table, "Out", out, sizeof out) == WL_OK);
    WlLaunch launch = {1, 1, 1, 0, 0};
    CHECK(wl_examine(pipeline, &launch, table, &findings, &report) == WL_OK);
    CHECK((findings > 0) == expected);
    if (expected) {
        CHECK(strstr(wl_text(report), "add.hlsl:3:") && strchr(wl_text(report), '^'));
    } else {
        CHECK(*wl_text(report) == 0);
    }
    for (int i = 0; i < 32; i++) {
        CHECK(out[i] == 0);
    }
    wl_text_free(report);
    wl_table_free(table);
    wl_pipeline_free(pipeline);
    wl_shader_free(shader);
}

/* Reads a texture with a sampler and one that is written, both in place. */
static void samples(void) {
    static const char text[] =
        "Texture2D<float4> Image;\n"
        "SamplerState Point;\n"
        "RWTexture2D<float> Out;\n"
        "[numthreads(2, 2, 1)] void main(uint3 id : SV_DispatchThreadID) {\n"
        "    Out[id.xy] = Image.SampleLevel(Point, (id.xy + 0.5) / 2, 0).g;\n"
        "}\n";
    static const uint8_t image[16] = {0, 0, 0, 0, 0, 51, 0, 0, 0, 102, 0, 0, 0, 255, 0, 0};
    float out[4] = {9, 9, 9, 9};
    WlTexture shape = {"RGBA8_UNORM", 2, 2, 1, 1, 1, 1};
    WlTexture plain = {"R32_FLOAT", 2, 2, 1, 1, 1, 1};
    WlLaunch launch = {1, 1, 1, 0, 0};
    WlShader *shader = NULL;
    WlPipeline *pipeline = NULL;
    WlTable *table = NULL;
    CHECK(compile(text, &shader) == WL_OK);
    CHECK(wl_pipeline(shader, NULL, 0, &pipeline) == WL_OK);
    CHECK(wl_table(shader, &table) == WL_OK);
    CHECK(wl_bind_texture_read_only(table, "Image", &shape, image, sizeof image) == WL_OK);
    CHECK(wl_bind_texture(table, "Out", &plain, out, sizeof out) == WL_OK);
    CHECK(wl_bind_sampler(table, "Point", "nearest clamp") == WL_OK);
    CHECK(wl_dispatch(pipeline, &launch, table) == WL_OK);
    CHECK(out[0] == 0.0f && out[1] == 51.0f / 255 && out[2] == 102.0f / 255 && out[3] == 1.0f);
    CHECK(wl_bind_texture(table, "Out", &plain, out, 15) == WL_BAD_INPUT);
    CHECK(wl_bind_texture(table, "Out", NULL, out, sizeof out) == WL_BAD_INPUT);
    CHECK(wl_bind_texture_read_only(table, "Out", &plain, out, sizeof out) == WL_BAD_INPUT);
    CHECK(wl_bind_sampler(table, "Point", "sharp") == WL_BAD_INPUT && strstr(wl_last_error(), "sharp"));
    plain.format = "R32_WATER";
    CHECK(wl_bind_texture(table, "Out", &plain, out, sizeof out) == WL_BAD_INPUT);
    CHECK(strstr(wl_last_error(), "R32_WATER"));
    wl_table_free(table);
    wl_pipeline_free(pipeline);
    wl_shader_free(shader);
}

/* A folder in memory. */
static uint32_t include(void *user, const char *path, const char *from, uint32_t is_system, WlFile *file) {
    static const char by[] = "#include <amount.hlsli>\n", amount[] = "#define AMOUNT half(1.5)\n", latin[] = "\xe9";
    int *calls = user;
    ++*calls;
    if (strcmp(path, "lib/by.hlsli") == 0 && strcmp(from, "main.hlsl") == 0 && !is_system) {
        *file = (WlFile){"lib/by.hlsli", by, sizeof by - 1};
    } else if (strcmp(path, "amount.hlsli") == 0 && strcmp(from, "lib/by.hlsli") == 0 && is_system) {
        *file = (WlFile){NULL, amount, sizeof amount - 1};
    } else if (strcmp(path, "latin.hlsli") == 0) {
        *file = (WlFile){NULL, latin, 1};
    } else if (strcmp(path, "nothing.hlsli") == 0) {
        *file = (WlFile){NULL, NULL, 1};
    } else {
        return 0;
    }
    return 1;
}

static WlStatus compile_with(const char *text, const WlOptions *options, WlShader **shader) {
    return wl_compile_with(text, strlen(text), options, shader);
}

static void includes(void) {
    static const char text[] =
        "#include \"lib/by.hlsli\"\n"
        "cbuffer Params { bool On; };\n"
        "RWStructuredBuffer<half> Data;\n"
        "[numthreads(4, 1, 1)] void sum(uint i : SV_GroupIndex) {\n"
        "    int lost = 3.7;\n"
        "    if (On) Data[i] = WavePrefixSum(AMOUNT) + lost;\n"
        "}\n";
    static const char plain[] = "RWStructuredBuffer<uint> Data;\n[numthreads(4, 1, 1)] void main() { Data[0] = 1; }\n";
    int calls = 0;
    WlOptions options = {.name = "main.hlsl", .entry = "sum", .enable_16bit = 1, .include = include, .user = &calls};
    WlShader *shader = NULL;
    WlPipeline *pipeline = NULL;
    WlTable *table = NULL;
    CHECK(compile_with(text, &options, &shader) == WL_OK && calls == 2);
    CHECK(strstr(wl_warnings(shader), "main.hlsl:5:") && strchr(wl_warnings(shader), '^'));
    CHECK(wl_pipeline(shader, NULL, 257, &pipeline) == WL_BAD_INPUT && strstr(wl_last_error(), "256"));
    CHECK(wl_pipeline(shader, NULL, 0, &pipeline) == WL_OK);
    CHECK(wl_table(shader, &table) == WL_OK);
    uint16_t halves[4] = {0};
    const int64_t on = 1, two = 2;
    CHECK(wl_bind(table, "Data", halves, sizeof halves) == WL_OK);
    CHECK(wl_set_integers(table, "On", &two, 1) == WL_BAD_INPUT);
    CHECK(wl_set_integers(table, "On", &on, 1) == WL_OK);
    WlLaunch launch = {1, 1, 1, 0, 0};
    CHECK(wl_dispatch(pipeline, &launch, table) == WL_OK);
    /* 3 and 7.5 */
    CHECK(halves[0] == 0x4200 && halves[3] == 0x4780);
    wl_table_free(table);
    wl_pipeline_free(pipeline);
    wl_shader_free(shader);

    shader = NULL;
    options.entry = "main";
    CHECK(compile_with("#include \"latin.hlsli\"\n", &options, &shader) == WL_BAD_INPUT && strstr(wl_last_error(), "UTF-8"));
    CHECK(compile_with("#include \"nothing.hlsli\"\n", &options, &shader) == WL_BAD_INPUT && strstr(wl_last_error(), "is null"));
    CHECK(compile_with("#include \"missing.hlsli\"\n", &options, &shader) == WL_BAD_INPUT);
    CHECK(strstr(wl_last_error(), "main.hlsl:1:") && strstr(wl_last_error(), "missing.hlsli"));
    CHECK(shader == NULL);
    CHECK(compile_with(plain, NULL, &shader) == WL_OK && *wl_warnings(shader) == 0);
    wl_shader_free(shader);
    CHECK(*wl_warnings(NULL) == 0);
}

static void refuses(void) {
    WlShader *shader = NULL;
    WlPipeline *pipeline = NULL;
    WlTable *table = NULL;
    static const char wrong[] = "[numthreads(1, 1, 1)] void main() { uint x = y; }";
    CHECK(compile(wrong, &shader) == WL_BAD_INPUT && shader == NULL);
    CHECK(strstr(wl_last_error(), "add.hlsl:1:") && strchr(wl_last_error(), '^'));
    CHECK(wl_compile(NULL, 5, NULL, NULL, NULL, 0, &shader) == WL_BAD_INPUT);
    CHECK(wl_compile("\xff", 1, NULL, NULL, NULL, 0, &shader) == WL_BAD_INPUT);
    CHECK(wl_compile(TEXT, sizeof TEXT - 1, NULL, NULL, NULL, 0, NULL) != WL_OK);

    CHECK(compile(TEXT, &shader) == WL_OK);
    CHECK(*wl_last_error() == 0);
    CHECK(wl_pipeline(NULL, NULL, 0, &pipeline) == WL_BAD_INPUT);
    CHECK(wl_pipeline(shader, "abacus", 0, &pipeline) == WL_BAD_INPUT);
    CHECK(wl_pipeline(shader, NULL, 0, &pipeline) == WL_OK);
    CHECK(wl_table(shader, &table) == WL_OK);

    uint32_t memory[32] = {0};
    CHECK(wl_bind(table, "Owt", memory, sizeof memory) == WL_BAD_INPUT);
    CHECK(strstr(wl_last_error(), "did you mean `Out`"));
    CHECK(wl_bind(table, "Out", memory, 3) == WL_BAD_INPUT);
    CHECK(wl_bind(table, "Out", NULL, 4) == WL_BAD_INPUT);
    CHECK(wl_bind(table, NULL, memory, sizeof memory) == WL_BAD_INPUT);
    CHECK(wl_bind(NULL, "Out", memory, sizeof memory) == WL_BAD_INPUT);
    CHECK(wl_bind_read_only(table, "Out", memory, sizeof memory) == WL_BAD_INPUT);
    const int64_t negative = -1;
    CHECK(wl_set_integers(table, "Amount", &negative, 1) == WL_BAD_INPUT);
    CHECK(wl_set_integers(table, "Amount", NULL, 1) == WL_BAD_INPUT);

    WlLaunch launch = {1, 1, 1, 0, 0};
    CHECK(wl_dispatch(pipeline, &launch, table) == WL_BAD_INPUT);
    CHECK(strstr(wl_last_error(), "nothing is bound"));
    CHECK(wl_bind(table, "Out", memory, sizeof memory) == WL_OK);
    CHECK(wl_bind_read_only(table, "In", memory, 0) == WL_OK);
    launch.wave_size = 12;
    CHECK(wl_dispatch(pipeline, &launch, table) == WL_BAD_INPUT);
    CHECK(wl_dispatch(pipeline, NULL, table) == WL_BAD_INPUT);
    wl_table_free(table);
    wl_pipeline_free(pipeline);
    wl_shader_free(shader);

    static const char endless[] =
        "RWStructuredBuffer<uint> Out;\n"
        "[numthreads(4, 1, 1)] void main() { while (true) { InterlockedAdd(Out[0], 1); } }\n";
    CHECK(compile(endless, &shader) == WL_OK);
    CHECK(wl_pipeline(shader, "interp", 0, &pipeline) == WL_OK);
    CHECK(wl_table(shader, &table) == WL_OK);
    CHECK(wl_bind(table, "Out", memory, sizeof memory) == WL_OK);
    launch.wave_size = 0;
    launch.fuel = 1000;
    CHECK(wl_dispatch(pipeline, &launch, table) == WL_TRAP);
    wl_table_free(table);
    wl_pipeline_free(pipeline);
    wl_shader_free(shader);
    wl_shader_free(NULL);
    wl_pipeline_free(NULL);
    wl_table_free(NULL);
    wl_text_free(NULL);
    CHECK(strcmp(wl_text(NULL), "") == 0);
}

int main(void) {
    CHECK(strchr(wl_version(), '.'));
    runs_in_place("interp");
    runs_in_place(NULL);
    examines(FINDINGS, 1);
    examines(ALLOWED, 0);
    samples();
    includes();
    refuses();
    puts("passed");
    return 0;
}
