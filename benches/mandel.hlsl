// The Mandelbrot set, 2048×2048 pixels: float arithmetic in a loop that lanes leave one by one.
#include "grid.hlsli"
RWStructuredBuffer<uint> Output : register(u1);

[numthreads(GROUP, 1, 1)]
void main(uint3 pixel : SV_DispatchThreadID) {
    float cx = 3.0 * ((float)pixel.x / 2048.0) - 2.0;
    float cy = 3.0 * ((float)pixel.y / 2048.0) - 1.5;
    float x = 0, y = 0;
    uint steps = 0;
    while (steps < 256) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4.0) break;
        y = 2.0 * x * y + cy;
        x = xx - yy + cx;
        steps++;
    }
    Output[pixel.y * 2048 + pixel.x] = steps;
}
