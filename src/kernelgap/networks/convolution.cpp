// Convolutions of 3 x 3 positions with zeros around the maps, and their gradients, in float32.
//
// Maps lie as (image, row, column, channel), filters as (row, column, channel before, channel after). Every product has
// the form C[r, :] = sum_t S[r, t] B[t, :], numbers of S times rows of B: S are positions of a map in a frame of zeros,
// where three neighbours with all their channels lie in one piece, and B are the filters, in panels of neighbouring
// channels. Sums stay in registers until they are done.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <vector>

#include "xla/ffi/api/ffi.h"

namespace {

namespace ffi = xla::ffi;

#if defined(__AVX512F__)
constexpr int LANES = 16;
constexpr int tile_rows(int vectors) { return vectors == 2 ? 12 : 16; }  // what 32 registers hold
#elif defined(__AVX__)
constexpr int LANES = 8;
constexpr int tile_rows(int vectors) { return vectors == 2 ? 6 : 12; }  // 16 registers
#else
constexpr int LANES = 4;
constexpr int tile_rows(int vectors) { return vectors == 2 ? 6 : 12; }
#endif
constexpr int FILTER = 3;
constexpr long NEAR = 4096;  // floats of a map that stay in the nearest cache

typedef float Vec __attribute__((vector_size(LANES * sizeof(float)), aligned(4), may_alias));

struct Maps {
    long rows, columns, channels;
    long line() const { return columns * channels; }
    long size() const { return rows * line(); }
};

long whole_vectors(long channels) { return (channels + LANES - 1) / LANES * LANES; }

// Panels are two vectors wide, and the last one perhaps only one.
template <class Work> void each_panel(long channels, Work work) {
    for (long first = 0; first < channels;) {
        const long width = channels - first > LANES ? 2 * LANES : LANES;
        work(first, width);
        first += width;
    }
}

// Tiles of nearly equal size; work is called with that size as a constant.
template <int most, class Work> void each_tile(long count, Work work) {
    for (long row = 0, left = (count + most - 1) / most; left > 0; --left) {
        const long size = (count - row + left - 1) / left;
        switch (size) {
#define SIZE(R)                                                                                  \
    case R:                                                                                      \
        if constexpr (R <= most) work(row, std::integral_constant<int, R>());                    \
        break;
            SIZE(1) SIZE(2) SIZE(3) SIZE(4) SIZE(5) SIZE(6) SIZE(7) SIZE(8)
            SIZE(9) SIZE(10) SIZE(11) SIZE(12) SIZE(13) SIZE(14) SIZE(15) SIZE(16)
#undef SIZE
        }
        row += size;
    }
}

inline void store(float *to, Vec value, long columns) {
    if (columns >= LANES)
        *(Vec *)to = value;
    else if (columns > 0)
        std::memcpy(to, &value, columns * sizeof(float));
}

// to[i, j, :] = sum over a < taps_down, t < count of from[i down + a line + j across + t] B[a count + t, :]
struct Pass {
    const float *from;
    long down, across, line;  // floats from one result to the one below, to the one beside, and from row to row
    long taps_down, count;
    float *to;
    long to_down, to_across;
    long rows, columns, channels;  // of the result
};

// ACROSS is pass.across where it is one of the usual numbers, so that addresses are constants; else 0.
template <int N, int R, int ACROSS>
inline void tile(const Pass &pass, const float *from, const float *B, float *to, long channels) {
    Vec sum[R][N] = {};
    const long across = ACROSS ? ACROSS : pass.across;
    for (long a = 0; a < pass.taps_down; ++a) {
        const float *S = from + a * pass.line;
        for (long t = pass.count; t > 0; --t, ++S, B += N * LANES) {
            Vec b[N];
            for (int v = 0; v < N; ++v) b[v] = *(const Vec *)(B + v * LANES);
            for (int r = 0; r < R; ++r)
                for (int v = 0; v < N; ++v) sum[r][v] += S[r * across] * b[v];
        }
    }
    for (int r = 0; r < R; ++r)
        for (int v = 0; v < N; ++v) store(to + r * pass.to_across + v * LANES, sum[r][v], channels - v * LANES);
}

template <int N, int ACROSS> void tiles(const Pass &pass, const float *B, long first) {
    for (long i = 0; i < pass.rows; ++i)
        each_tile<tile_rows(N)>(pass.columns, [&](long j, auto R) {
            tile<N, R, ACROSS>(pass, pass.from + i * pass.down + j * pass.across, B,
                       pass.to + i * pass.to_down + j * pass.to_across + first, pass.channels - first);
        });
}

template <int ACROSS> void panels(const Pass &pass, const float *B) {
    each_panel(pass.channels, [&](long first, long width) {
        const float *panel = B + first * pass.taps_down * pass.count;
        width == LANES ? tiles<1, ACROSS>(pass, panel, first) : tiles<2, ACROSS>(pass, panel, first);
    });
}

void run(const Pass &pass, const float *B) {
    switch (pass.across) {
        case 16: return panels<16>(pass, B);
        case 32: return panels<32>(pass, B);
        case 64: return panels<64>(pass, B);
        default: return panels<0>(pass, B);
    }
}

// Which rows (or columns) of a filter meet neighbouring rows of the map that is read, in their order.
struct Taps {
    int count, at[FILTER];
};
constexpr Taps FORWARD = {3, {0, 1, 2}}, BACKWARD = {3, {2, 1, 0}}, EVEN = {1, {1}}, ODD = {2, {2, 0}};

// Panels of filters: rows are (tap down, tap across, channel that is read), columns are channels of the result.
void pack(const float *filters, long before, long after, bool backward, Taps down, Taps across, float *B) {
    const long read = backward ? after : before, made = backward ? before : after;
    each_panel(made, [&](long first, long width) {
        for (int a = 0; a < down.count; ++a)
            for (int b = 0; b < across.count; ++b) {
                const float *w = filters + (down.at[a] * FILTER + across.at[b]) * before * after;
                for (long c = 0; c < read; ++c)
                    for (long k = 0; k < width; ++k, ++B)
                        *B = first + k >= made ? 0.0f : backward ? w[(first + k) * after + c] : w[c * after + first + k];
            }
    });
}

// A frame of zeros around a map, which is then copied into its middle.
struct Framed {
    const Maps inner, outer;
    const long top;
    std::vector<float> at;
    Framed(const Maps &maps, long before, long after)
        : inner(maps), outer{maps.rows + before + after, maps.columns + before + after, maps.channels}, top(before),
          at(outer.size()) {}
    void fill(const float *maps) {
        for (long i = 0; i < inner.rows; ++i)
            std::memcpy(&at[(i + top) * outer.line() + top * inner.channels], maps + i * inner.line(),
                        inner.line() * sizeof(float));
    }
};

// Parts of the work in any order; those that no helper has begun are done by the caller, so that it never waits for a
// thread that may be waiting for it.
template <class Work> void in_parts(ffi::ThreadPool &pool, long parts, const Work &work) {
    struct Shared {
        std::atomic<long> next{0};
        long done = 0;
        bool failed = false;
        std::mutex mutex;
        std::condition_variable all_done;
    };
    if (parts <= 1) return work(0);
    auto shared = std::make_shared<Shared>();
    auto help = [shared, parts, &work] {
        for (long part; (part = shared->next++) < parts;) {
            bool failed = false;
            try {
                work(part);
            } catch (const std::bad_alloc &) {
                failed = true;
            }
            std::lock_guard<std::mutex> lock(shared->mutex);
            shared->failed |= failed;
            if (++shared->done == parts) shared->all_done.notify_all();
        }
    };
    for (long i = 1; i < parts; ++i) pool.Schedule(std::function<void()>(help));
    help();
    std::unique_lock<std::mutex> lock(shared->mutex);
    shared->all_done.wait(lock, [&] { return shared->done == parts; });
    if (shared->failed) throw std::bad_alloc();
}

long parts_of(const ffi::ThreadPool &pool, long images) {
    return std::max<long>(1, std::min<long>(images, pool.num_threads()));
}

struct Shape {
    long images, stride, before, after;
    Maps in, out;
};

void forward(ffi::ThreadPool &pool, const Shape &s, const float *x, const float *filters, float *y) {
    std::vector<float> B(FILTER * FILTER * s.before * (s.after + 2 * LANES));
    pack(filters, s.before, s.after, false, FORWARD, FORWARD, B.data());
    const long parts = parts_of(pool, s.images);
    in_parts(pool, parts, [&](long part) {
        Framed framed(s.in, 1, 1);
        for (long n = part * s.images / parts; n < (part + 1) * s.images / parts; ++n) {
            framed.fill(x + n * s.in.size());
            const long line = framed.outer.line();
            run({framed.at.data(), s.stride * line, s.stride * s.before, line, FILTER, FILTER * s.before,
                 y + n * s.out.size(), s.out.line(), s.after, s.out.rows, s.out.columns, s.after},
                B.data());
        }
    });
}

// With stride 2, even and odd rows and columns of the input have met different rows and columns of the filters.
void input_gradient(ffi::ThreadPool &pool, const Shape &s, const float *g, const float *filters, float *dx) {
    struct Kind {
        Taps down, across;
        long i, j;
        std::vector<float> B;
    };
    std::vector<Kind> kinds;
    for (long i = 0; i < s.stride; ++i)
        for (long j = 0; j < s.stride; ++j) {
            const Taps down = s.stride == 1 ? BACKWARD : i ? ODD : EVEN, across = s.stride == 1 ? BACKWARD : j ? ODD : EVEN;
            kinds.push_back({down, across, i, j, std::vector<float>(down.count * across.count * s.after * (s.before + 2 * LANES))});
            pack(filters, s.before, s.after, true, down, across, kinds.back().B.data());
        }
    const long parts = parts_of(pool, s.images);
    in_parts(pool, parts, [&](long part) {
        Framed framed(s.out, s.stride == 1, 1);
        const long line = framed.outer.line();
        for (long n = part * s.images / parts; n < (part + 1) * s.images / parts; ++n) {
            framed.fill(g + n * s.out.size());
            for (const Kind &kind : kinds)
                run({framed.at.data(), line, s.after, line, kind.down.count, kind.across.count * s.after,
                     dx + n * s.in.size() + kind.i * s.in.line() + kind.j * s.before, s.stride * s.in.line(),
                     s.stride * s.before, (s.in.rows - kind.i + s.stride - 1) / s.stride,
                     (s.in.columns - kind.j + s.stride - 1) / s.stride, s.before},
                    kind.B.data());
        }
    });
}

// dW[r, :] += sum over i < rows, j < columns of from[i down + j across + r] g[i, j, :]
struct Correlation {
    const float *from;
    long down, across;
    const float *g;
    long g_step, rows, columns;
};

template <int N, int R> inline void correlate(const Correlation &c, const float *from, const float *g, float *dw) {
    Vec sum[R][N] = {};
    for (long i = 0; i < c.rows; ++i) {
        const float *S = from + i * c.down, *B = g + i * c.columns * c.g_step;
        for (long j = c.columns; j > 0; --j, S += c.across, B += c.g_step) {
            Vec b[N];
            for (int v = 0; v < N; ++v) b[v] = *(const Vec *)(B + v * LANES);
            for (int r = 0; r < R; ++r)
                for (int v = 0; v < N; ++v) sum[r][v] += S[r] * b[v];
        }
    }
    for (int r = 0; r < R; ++r)
        for (int v = 0; v < N; ++v) *(Vec *)(dw + (r * N + v) * LANES) += sum[r][v];
}

template <int N> void correlate_rows(const Correlation &c, long first, long rows, float *dw) {
    each_tile<tile_rows(N)>(rows, [&](long r, auto R) { correlate<N, R>(c, c.from + r, c.g + first, dw + r * N * LANES); });
}

void filter_gradient(ffi::ThreadPool &pool, const Shape &s, const float *x, const float *g, float *dw) {
    const long rows = FILTER * s.before, wide = whole_vectors(s.after) + LANES, size = FILTER * rows * wide;
    const long parts = parts_of(pool, s.images), positions = s.out.rows * s.out.columns;
    const long near = std::max<long>(1, NEAR / (s.out.columns * std::max(s.after, s.stride * s.before)));
    std::vector<float> sums(parts * size);
    const bool ragged = s.after % LANES != 0;
    in_parts(pool, parts, [&](long part) {
        Framed framed(s.in, 1, 1);
        std::vector<float> copied(ragged ? positions * wide : 0);
        const long line = framed.outer.line(), g_step = ragged ? wide : s.after;
        for (long n = part * s.images / parts; n < (part + 1) * s.images / parts; ++n) {
            framed.fill(x + n * s.in.size());
            const float *maps = g + n * s.out.size();
            if (ragged) {
                for (long p = 0; p < positions; ++p) std::copy_n(maps + p * s.after, s.after, &copied[p * wide]);
                maps = copied.data();
            }
            for (long i = 0; i < s.out.rows; i += near)
                each_panel(s.after, [&](long first, long width) {
                    for (long a = 0; a < FILTER; ++a) {
                        const Correlation c = {&framed.at[(s.stride * i + a) * line], s.stride * line, s.stride * s.before,
                                               maps + i * s.out.columns * g_step, g_step, std::min(near, s.out.rows - i),
                                               s.out.columns};
                        float *to = &sums[part * size + first * FILTER * rows + a * rows * width];
                        width == LANES ? correlate_rows<1>(c, first, rows, to) : correlate_rows<2>(c, first, rows, to);
                    }
                });
        }
    });
    each_panel(s.after, [&](long first, long width) {
        for (long r = 0; r < FILTER * rows; ++r)
            for (long k = 0; k < std::min(width, s.after - first); ++k) {
                float sum = 0;
                for (long part = 0; part < parts; ++part) sum += sums[part * size + first * FILTER * rows + r * width + k];
                dw[r * s.after + first + k] = sum;
            }
    });
}

typedef ffi::Buffer<ffi::F32> Array;
typedef ffi::Result<Array> Made;

Shape shape_of(int64_t stride, ffi::Span<const int64_t> in, ffi::Span<const int64_t> out) {
    return {in[0], stride, in[3], out[3], {in[1], in[2], in[3]}, {out[1], out[2], out[3]}};
}

template <class Work> ffi::Error guarded(Work work) {
    try {
        work();
    } catch (const std::bad_alloc &) {
        return ffi::Error(ffi::ErrorCode::kResourceExhausted, "There is no memory for a convolution.");
    }
    return ffi::Error::Success();
}

ffi::Error forward_call(ffi::ThreadPool pool, int64_t stride, Array x, Array filters, Made y) {
    return guarded([&] {
        forward(pool, shape_of(stride, x.dimensions(), y->dimensions()), x.typed_data(), filters.typed_data(), y->typed_data());
    });
}

ffi::Error input_gradient_call(ffi::ThreadPool pool, int64_t stride, Array g, Array filters, Made dx) {
    return guarded([&] {
        input_gradient(pool, shape_of(stride, dx->dimensions(), g.dimensions()), g.typed_data(), filters.typed_data(),
                       dx->typed_data());
    });
}

ffi::Error filter_gradient_call(ffi::ThreadPool pool, int64_t stride, Array x, Array g, Made dw) {
    return guarded([&] {
        filter_gradient(pool, shape_of(stride, x.dimensions(), g.dimensions()), x.typed_data(), g.typed_data(),
                        dw->typed_data());
    });
}

auto bind() { return ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Attr<int64_t>("stride").Arg<Array>().Arg<Array>().Ret<Array>(); }

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(kernelgap_convolution, forward_call, bind());
XLA_FFI_DEFINE_HANDLER_SYMBOL(kernelgap_convolution_input_gradient, input_gradient_call, bind());
XLA_FFI_DEFINE_HANDLER_SYMBOL(kernelgap_convolution_filter_gradient, filter_gradient_call, bind());
