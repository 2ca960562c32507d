// Pseudo-random numbers for rays.

uint Mixed(uint x) {
    x = (x ^ 61) ^ (x >> 16);
    x *= 9;
    x = x ^ (x >> 4);
    x *= 0x27d4eb2d;
    return x ^ (x >> 15);
}

float Unit(uint x) { return (Mixed(x) >> 8) * (1.0 / 16777216.0); }
