// An include that is not found is reported at its directive.

//--- an-include-that-is-missing
#include "no/such/file.hlsli" //~ error[file-not-found]: no/such/file.hlsli
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:10: error: cannot find the file `no/such/file.hlsli` [file-not-found]
//|   |
//| 2 | #include "no/such/file.hlsli"
//|   |          ^^^^^^^^^^^^^^^^^^^^
