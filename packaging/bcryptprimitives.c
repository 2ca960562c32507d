/* What programs by Rust want of Windows' library of this name, for those releases of Wine that do not have it yet (8 and earlier).
   `cargo xtask dist --try` puts it beside the program that it tries; no package holds it. */
#include <stddef.h>

__declspec(dllimport) unsigned char __stdcall SystemFunction036(void *buffer, unsigned long size);

__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *data, size_t size)
{
    return SystemFunction036(data, (unsigned long)size);
}
