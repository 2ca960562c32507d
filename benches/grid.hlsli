// A row of work laid out over a two-dimensional grid, since a dispatch has at most 65,535 groups in each dimension.
#define GROUP 256
#define ROW 1048576
uint element(uint3 thread) { return thread.y * ROW + thread.x; }
