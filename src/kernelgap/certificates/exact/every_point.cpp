// Squared errors of a two- or three-layer ReLU network over points of a cube, in float64, summed over rows of points.
//
// A row's points share their upper coordinates. What the lower ones add to the first layer is a table that all rows share,
// so that this layer costs an addition. Points lie side by side in panels: every product has the form
// C[r, :] = start[r] + sum_t S[r, t] B[t, :], and a panel's activations stay in the nearest cache.
//
// Fixed-point networks have whole numbers as weights, so small that every sum stays below 2^53: float64 makes no error, and
// the sums over points are whole numbers too.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

#if defined(__AVX512F__)
constexpr int LANES = 8, VECTORS = 2, ROWS = 14;  // what 32 registers hold
#elif defined(__AVX__)
constexpr int LANES = 4, VECTORS = 2, ROWS = 6;  // 16 registers
#else
constexpr int LANES = 2, VECTORS = 2, ROWS = 6;
#endif
constexpr long PANEL = LANES * VECTORS;  // points

typedef double Vec __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));

inline Vec &at(double *p) { return *(Vec *)p; }
inline const Vec &at(const double *p) { return *(const Vec *)p; }
inline Vec relu(const Vec &x) { return x < 0.0 ? Vec{} : x; }  // what is not a number stays so

struct Doubles {
    double *p;
    explicit Doubles(long count) : p(static_cast<double *>(std::aligned_alloc(64, (count * sizeof(double) + 63) / 64 * 64))) {
        if (!p) throw std::bad_alloc();
    }
    Doubles(const Doubles &) = delete;
    Doubles &operator=(const Doubles &) = delete;
    ~Doubles() { std::free(p); }
    operator double *() const { return p; }
};

struct Product {  // of S (rows x count) and B (count x PANEL)
    const double *S;
    long count;
    const double *B;
    const double *bias;   // a number for each row, or none
    const double *start;  // a panel to add, or none
    double *C;
};

template <int R, bool rectified> inline void tile(const Product &product, long row) {
    Vec sum[R][VECTORS];
    for (int r = 0; r < R; ++r)
        for (int v = 0; v < VECTORS; ++v) {
            sum[r][v] = product.bias ? Vec{} + product.bias[row + r] : Vec{};
            if (product.start) sum[r][v] += at(product.start + (row + r) * PANEL + v * LANES);
        }
    const double *S = product.S + row * product.count, *B = product.B;
    for (long t = 0; t < product.count; ++t, B += PANEL) {
        Vec b[VECTORS];
        for (int v = 0; v < VECTORS; ++v) b[v] = at(B + v * LANES);
        for (int r = 0; r < R; ++r)
            for (int v = 0; v < VECTORS; ++v) sum[r][v] += S[r * product.count + t] * b[v];
    }
    for (int r = 0; r < R; ++r)
        for (int v = 0; v < VECTORS; ++v)
            at(product.C + (row + r) * PANEL + v * LANES) = rectified ? relu(sum[r][v]) : sum[r][v];
}

template <bool rectified> void multiply(long rows, const Product &product) {
    for (long row = 0, left = (rows + ROWS - 1) / ROWS; left > 0; --left) {  // tiles of nearly equal size
        const long size = (rows - row + left - 1) / left;
        switch (size) {
#define SIZE(R)                                                      \
    case R:                                                          \
        if constexpr (R <= ROWS) tile<R, rectified>(product, row);   \
        break;
            SIZE(1) SIZE(2) SIZE(3) SIZE(4) SIZE(5) SIZE(6) SIZE(7)
            SIZE(8) SIZE(9) SIZE(10) SIZE(11) SIZE(12) SIZE(13) SIZE(14)
#undef SIZE
        }
        row += size;
    }
}

enum Kind { TWO_LAYER = 0, THREE_LAYER = 1, RESNET = 2 };

}  // namespace

extern "C" {

struct Weights {
    int32_t kind;
    int64_t outputs, width;
    const double *inner, *b2;  // U (width x width) or V (width x outputs), and the bias after it, or none
    const double *A;           // outputs x width
    double scale;
    const double *offset;  // of each output
};

struct Target {  // output o is the sum of coefficients[i] times the parity sets[i], i from first[o] to first[o + 1] - 1
    const int64_t *first;
    const int32_t *sets;
    const double *coefficients;
    int64_t count;           // of parities
    const double *parities;  // of the lower coordinates, in panels: points / PANEL, count, PANEL
    const double *flips;     // by the upper ones: rows x count
};

int64_t kernelgap_panel() { return PANEL; }

// lower: what the lower coordinates add to the first layer, in panels: points / PANEL, width, PANEL; upper: what is added
// for a row, with the bias: rows x width.
int kernelgap_row_sums(const Weights *weights, const Target *target, const double *lower, const double *upper, int64_t points,
                       int64_t rows, double *sums) try {
    const long k = weights->outputs, m = weights->width;
    Doubles h(m * PANEL), h2(m * PANEL), out1(k * PANEL), out(k * PANEL);
    const double scale = weights->scale;
    std::fill(sums, sums + rows, 0.0);
    for (long panel = 0; panel < points / PANEL; ++panel) {
        const double *table = lower + panel * m * PANEL, *parities = target->parities + panel * target->count * PANEL;
        for (long row = 0; row < rows; ++row) {
            const double *add = upper + row * m, *flips = target->flips + row * target->count;
            for (long u = 0; u < m; ++u)
                for (int v = 0; v < VECTORS; ++v) {
                    const long i = u * PANEL + v * LANES;
                    at(h + i) = relu(at(table + i) + add[u]);
                }
            const double *last = h;
            if (weights->kind == RESNET) multiply<false>(k, {weights->A, m, h, nullptr, nullptr, out1});
            if (weights->kind != TWO_LAYER) {
                const bool resnet = weights->kind == RESNET;
                multiply<true>(m, {weights->inner, resnet ? k : m, resnet ? out1 : h, weights->b2, nullptr, h2});
                last = h2;
            }
            multiply<false>(k, {weights->A, m, last, nullptr, weights->kind == RESNET ? out1.p : nullptr, out});
            Vec sum{};
            for (long o = 0; o < k; ++o) {
                Vec sought[VECTORS] = {};
                for (long i = target->first[o], end = target->first[o + 1]; i < end; ++i) {
                    const long set = target->sets[i];
                    const double factor = target->coefficients[i] * flips[set];
                    for (int v = 0; v < VECTORS; ++v) sought[v] += factor * at(parities + set * PANEL + v * LANES);
                }
                for (int v = 0; v < VECTORS; ++v) {
                    const Vec r = sought[v] - (at(out + o * PANEL + v * LANES) * scale + weights->offset[o]);
                    sum += r * r;
                }
            }
            for (int lane = 0; lane < LANES; ++lane) sums[row] += sum[lane];
        }
    }
    return 0;
} catch (const std::bad_alloc &) {
    return 1;
}

struct Whole {  // a fixed-point network; what it does not have is null
    int64_t outputs, width;
    const double *A, *V, *b2, *C, *D, *offset;
    double first_unit;  // of C h, in units of the output
    double half, unit;  // r = floor((output + half) * unit)
    const double *limits;
};

struct Signals {  // of each output, signs or 0: of the lower coordinates in panels, and by the upper ones rows x outputs
    const double *base, *composite;
    const double *base_flips, *composite_flips;
};

// sums: for each row the sums over points and outputs of r^2, r base and r composite
int kernelgap_row_integers(const Whole *weights, const Signals *signals, const double *lower, const double *upper,
                           int64_t points, int64_t rows, int64_t *sums) try {
    const long k = weights->outputs, m = weights->width;
    Doubles h(m * PANEL), g(m * PANEL), y(k * PANEL), first(k * PANEL), out(k * PANEL);
    std::fill(sums, sums + 3 * rows, int64_t{0});
    for (long panel = 0; panel < points / PANEL; ++panel) {
        const double *table = lower + panel * m * PANEL;
        for (long row = 0; row < rows; ++row) {
            const double *add = upper + row * m;
            for (long u = 0; u < m; ++u)
                for (int v = 0; v < VECTORS; ++v) {
                    const long i = u * PANEL + v * LANES;
                    at(h + i) = relu(at(table + i) + add[u]);
                }
            if (weights->A) multiply<false>(k, {weights->A, m, h, nullptr, nullptr, y});
            if (weights->C) {
                if (weights->C != weights->A) multiply<false>(k, {weights->C, m, h, nullptr, nullptr, first});
                const double *from = weights->C == weights->A ? y : first;
                for (long i = 0; i < k * PANEL; i += LANES) at(first + i) = at(from + i) * weights->first_unit;
            }
            const double *last = first;
            if (weights->V) {
                multiply<true>(m, {weights->V, weights->A ? k : m, weights->A ? y : h, weights->b2, nullptr, g});
                multiply<false>(k, {weights->D, m, g, nullptr, weights->C ? first.p : nullptr, out});
                last = out;
            }
            Vec square[VECTORS] = {}, base[VECTORS] = {}, composite[VECTORS] = {};
            for (long o = 0; o < k; ++o) {
                const double start = weights->half + (weights->offset ? weights->offset[o] : 0.0), limit = weights->limits[o];
                const double base_flip = signals->base_flips[row * k + o];
                const double composite_flip = signals->composite_flips[row * k + o];
                const double *values = last + o * PANEL;
                double rounded[PANEL];
                for (long i = 0; i < PANEL; ++i)
                    rounded[i] = std::min(std::max(std::floor((values[i] + start) * weights->unit), -limit), limit);
                for (int v = 0; v < VECTORS; ++v) {
                    const Vec r = at(rounded + v * LANES);
                    const long i = (panel * k + o) * PANEL + v * LANES;
                    square[v] += r * r;
                    base[v] += r * base_flip * at(signals->base + i);
                    composite[v] += r * composite_flip * at(signals->composite + i);
                }
            }
            for (int v = 0; v < VECTORS; ++v)
                for (int lane = 0; lane < LANES; ++lane) {
                    sums[3 * row] += static_cast<int64_t>(square[v][lane]);
                    sums[3 * row + 1] += static_cast<int64_t>(base[v][lane]);
                    sums[3 * row + 2] += static_cast<int64_t>(composite[v][lane]);
                }
        }
    }
    return 0;
} catch (const std::bad_alloc &) {
    return 1;
}

}
