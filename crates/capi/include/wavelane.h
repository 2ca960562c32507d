/* wavelane: HLSL wave intrinsics, exact, at any wave width.
 *
 * Generated from `crates/capi/src` by `cargo xtask docs`; do not edit. */

#ifndef WAVELANE_H
#define WAVELANE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a call ended. The numbers are the exit statuses of the command `wavelane`. */
typedef enum WlStatus {
    /* It did what was asked. */
    WL_OK = 0,
    /* The run could not go on, or its fuel is spent. */
    WL_TRAP = 1,
    /* The shader, a name or an argument is wrong. */
    WL_BAD_INPUT = 2,
    /* This engine or machine cannot do it. */
    WL_UNSUPPORTED = 3,
    /* A bug in wavelane; nothing that the call wrote is of use. */
    WL_BUG = 70,
} WlStatus;

/* A compiled shader. */
typedef struct WlShader WlShader;

/* A shader on an engine. */
typedef struct WlPipeline WlPipeline;

/* What is bound to the resources of a shader. */
typedef struct WlTable WlTable;

/* A text that the library owns. */
typedef struct WlText WlText;

/* A macro for a shader. `value` may be null. */
typedef struct WlDefine {
    const char *name;
    const char *value;
} WlDefine;

/* A file that a shader includes: `length` bytes of `text`, and its name in messages, which is also the `from` of the
 * files that it includes itself. The same file has the same name each time; null means the path in the directive. */
typedef struct WlFile {
    const char *name;
    const char *text;
    size_t length;
} WlFile;

/* Finds the file that `from` includes as `path`, with `/` for backslashes; `is_system` is 1 for `<path>`, else 0.
 * Returns 0 if there is none, and otherwise fills `*file`, whose texts stay as they are until `wl_compile_with`
 * returns. It is called while that function runs, on another thread, and must not unwind. */
typedef uint32_t (*WlInclude)(void *user, const char *path, const char *from, uint32_t is_system, WlFile *file);

/* How a shader is compiled. Zeros mean the defaults: the name "shader.hlsl", the entry point "main", no macros, `half`
 * with 32 bits, and no includes. `enable_16bit` 1 makes `half` and the `min16` types real 16-bit types. `user` is
 * passed to `include`. */
typedef struct WlOptions {
    const char *name;
    const char *entry;
    const WlDefine *defines;
    size_t define_count;
    uint32_t enable_16bit;
    WlInclude include;
    void *user;
} WlOptions;

/* The size and format of a texture. `format` is a name of Direct3D such as "RGBA8_UNORM". Unused axes, `layers`,
 * `levels` and `samples` are 1, and a cube has six layers. */
typedef struct WlTexture {
    const char *format;
    uint32_t width;
    uint32_t height;
    uint32_t depth;
    uint32_t layers;
    uint32_t levels;
    uint32_t samples;
} WlTexture;

/* How a shader is launched. `wave_size` 0 is the pipeline's default, `fuel` 0 no limit on the number of
 * wave-instructions. */
typedef struct WlLaunch {
    uint32_t groups_x;
    uint32_t groups_y;
    uint32_t groups_z;
    uint32_t wave_size;
    uint64_t fuel;
} WlLaunch;

/* The text of the error of this thread's last call; empty if it succeeded. For a shader that does not compile, the
 * source lines with carets. It is valid until the thread's next call. */
const char *wl_last_error(void);

/* The version of the library, such as `0.1.0`. */
const char *wl_version(void);

/* Frees a shader. Pipelines and tables that were made from it stay valid. Null is allowed. */
void wl_shader_free(WlShader *shader);

/* Prepares a shader for an engine: "interp", "cpu", "vulkan" or "cuda"; null means the fastest that needs no GPU.
 * `threads` is the number of threads of the engine "cpu"; 0 means 1. */
WlStatus wl_pipeline(const WlShader *shader, const char *engine, uint32_t threads, WlPipeline **pipeline);

/* Frees a pipeline. Null is allowed. */
void wl_pipeline_free(WlPipeline *pipeline);

/* Makes a table in which nothing is bound. */
WlStatus wl_table(const WlShader *shader, WlTable **table);

/* Frees a table. The memory that was bound is the caller's again. Null is allowed. */
void wl_table_free(WlTable *table);

/* Binds `size` bytes of the caller's to the buffer `name`, in place. They must stay where they are until something
 * else is bound there or the table is freed, and while a shader runs no other thread may touch them. What is bound
 * must not overlap what else the table has. */
WlStatus wl_bind(WlTable *table, const char *name, void *memory, size_t size);

/* The same for memory that is only read; refused where the shader may write. */
WlStatus wl_bind_read_only(WlTable *table, const char *name, const void *memory, size_t size);

/* Sets an integer or boolean constant: a member of a constant buffer, by its name. Vectors, matrices, arrays and
 * structures take as many numbers as they have. */
WlStatus wl_set_integers(WlTable *table, const char *name, const int64_t *values, size_t count);

/* Sets a constant of floats. */
WlStatus wl_set_floats(WlTable *table, const char *name, const double *values, size_t count);

/* The text, which ends with a zero. It is valid until `wl_text_free`. */
const char *wl_text(const WlText *text);

/* Frees a text. Null is allowed. */
void wl_text_free(WlText *text);

/* Compiles `text`, the `length` bytes of a shader. `name` is its name in messages, `entry` the entry point; null means
 * "shader.hlsl" and "main". On success `*shader` is a handle for `wl_shader_free`; on failure `wl_last_error` has the
 * source lines with carets. The text may not `#include` others: see `wl_compile_with`. */
WlStatus wl_compile(const char *text, size_t length, const char *name, const char *entry, const WlDefine *defines, size_t define_count, WlShader **shader);

/* The same with options; null means the defaults. */
WlStatus wl_compile_with(const char *text, size_t length, const WlOptions *options, WlShader **shader);

/* The compiler's warnings about a shader, with source lines; empty if there are none. It is valid until the shader is
 * freed. */
const char *wl_warnings(const WlShader *shader);

/* Binds `size` bytes of the caller's to the texture `name`, in place, under the rules of `wl_bind`: all texels, layer
 * by layer, within a layer level by level, within a level row by row. */
WlStatus wl_bind_texture(WlTable *table, const char *name, const WlTexture *texture, void *memory, size_t size);

/* The same for memory that is only read; refused where the shader may write. */
WlStatus wl_bind_texture_read_only(WlTable *table, const char *name, const WlTexture *texture, const void *memory, size_t size);

/* Binds a sampler to the resource `name`; its state is words as on the command line, such as "linear wrap" or "nearest
 * clamp". */
WlStatus wl_bind_sampler(WlTable *table, const char *name, const char *state);

/* Runs a pipeline to its end. What it writes is in the memory that the table has. */
WlStatus wl_dispatch(const WlPipeline *pipeline, const WlLaunch *launch, const WlTable *table);

/* Runs a pipeline under the sanitizer, at every width and in other orders; the memory does not change. `*findings` is
 * the number of findings that no comment of the source allows, and `*report` a text for `wl_text_free` that shows them
 * with source lines. `launch->wave_size` is ignored. */
WlStatus wl_examine(const WlPipeline *pipeline, const WlLaunch *launch, const WlTable *table, size_t *findings, WlText **report);

#ifdef __cplusplus
}
#endif

#endif
