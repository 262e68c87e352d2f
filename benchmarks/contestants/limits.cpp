// What one core can do at most: multiply and add in registers, and pass over an array of a given size.
#include <cstdint>

#if defined(__AVX512F__)
constexpr int LANES = 16, SUMS = 24;
#elif defined(__AVX__)
constexpr int LANES = 8, SUMS = 12;
#else
constexpr int LANES = 4, SUMS = 12;
#endif
typedef float Vec __attribute__((vector_size(LANES * sizeof(float)), aligned(4), may_alias));

template <int S> struct Sums {  // each in a register of its own
    Sums<S - 1> others;
    Vec sum = Vec{} + float(S);  // another start for each, so that none is another
    inline void step(Vec a, Vec b) {
        others.step(a, b);
        sum = sum * a + b;
    }
    inline Vec all() const { return others.all() + sum; }
};
template <> struct Sums<0> {
    inline void step(Vec, Vec) {}
    inline Vec all() const { return Vec{}; }
};

// Operations done: 2 for each multiplication with its addition. The sums go to `out`, so that nothing is left out.
extern "C" double kernelgap_multiply_add(std::int64_t repeats, float *out) {
    Sums<SUMS> sums;
    Vec a = Vec{} + 0.999999f, b = Vec{} + 1e-6f;
    for (std::int64_t i = 0; i < repeats; ++i) sums.step(a, b);
    *(Vec *)out = sums.all();
    return 2.0 * repeats * SUMS * LANES;
}

// Bytes moved: each number is read and written once a pass.
extern "C" double kernelgap_pass(std::int64_t repeats, float *data, std::int64_t count) {
    for (std::int64_t i = 0; i < repeats; ++i) {
        for (std::int64_t at = 0; at + 4 * LANES <= count; at += 4 * LANES)
            for (int v = 0; v < 4; ++v) *(Vec *)(data + at + v * LANES) = *(Vec *)(data + at + v * LANES) * 0.5f + 1.0f;
    }
    return 8.0 * repeats * count;
}
