// SGD with momentum on two- and three-layer ReLU networks, one member at a time, in float32.
//
// Every product has the form C[r, :] = sum_t S[r, t] B[t, :], numbers of S times rows of B, so that nothing is added up
// along a row. Matrices lie in panels of 8, 16 or 32 neighbouring columns, all rows of a panel in one piece; what is
// done with a product's result is done while it is in registers. A panel of weights with its momentum and its
// activations fits the nearest cache. Rows and columns beyond the last are 0 and stay 0.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace {

#if defined(__AVX512F__)
constexpr int LANES = 16, WIDEST = 32;
constexpr int tile_rows(int width) { return width == 32 ? 12 : 16; }  // what 32 registers hold
#elif defined(__AVX__)
constexpr int LANES = 8, WIDEST = 16;
constexpr int tile_rows(int width) { return width == 16 ? 6 : 12; }  // 16 registers
#else
constexpr int LANES = 4, WIDEST = 8;
constexpr int tile_rows(int) { return 6; }
#endif
constexpr int NARROWEST = LANES < 8 ? 8 : LANES;
constexpr long CHUNK = 256;  // columns whose activations are used again while they are near

typedef float Vec __attribute__((vector_size(LANES * sizeof(float)), aligned(4), may_alias));

struct Panel {
    long first, width;  // columns
};
typedef std::vector<Panel> Panels;

Panels panels_of(long columns) {
    Panels panels;
    const long padded = (columns + NARROWEST - 1) / NARROWEST * NARROWEST;
    for (long first = 0, width; first < padded; first += width) {
        width = padded - first >= WIDEST ? WIDEST : NARROWEST;
        panels.push_back({first, width});
    }
    return panels;
}

long padded(const Panels &panels) { return panels.back().first + panels.back().width; }

struct Term {  // sum over t < count of S[row * row_step + t * step] B[t, :]
    const float *S;
    long row_step, step, count;
    const float *B;
};

struct Step {
    float rate, decay, momentum;
};

// What becomes of a product.
enum Finish {
    STORE,   // C = product
    RELU,    // C = max(product, 0)
    MASK,    // C = product where aside > 0, else 0
    UPDATE,  // C are weights, aside their momentum, the product their gradient
};

struct Product {
    const Term *terms;
    long n_terms;
    const float *start;  // what is added to the product: a row for every row, or with start_step 0 the same row, or none
    long start_step;
    float *C, *aside;
    Step step;
};

template <int P, int R, Finish finish> inline void tile(const Product &product, long row) {
    constexpr int N = P / LANES;
    Vec sum[R][N];
    const float *start = product.start ? product.start + row * product.start_step : nullptr;
    for (int r = 0; r < R; ++r)
        for (int v = 0; v < N; ++v) sum[r][v] = start ? *(const Vec *)(start + r * product.start_step + v * LANES) : Vec{};
    for (const Term *term = product.terms, *end = term + product.n_terms; term < end; ++term) {
        const long row_step = term->row_step, step = term->step;
        const float *S = term->S + row * row_step, *B = term->B;
        for (long t = term->count; t > 0; --t, S += step, B += P) {
            Vec b[N];
            for (int v = 0; v < N; ++v) b[v] = *(const Vec *)(B + v * LANES);
            for (int r = 0; r < R; ++r)
                for (int v = 0; v < N; ++v) sum[r][v] += S[r * row_step] * b[v];
        }
    }
    float *C = product.C + row * P, *aside = product.aside + row * P;
    for (int r = 0; r < R; ++r)
        for (int v = 0; v < N; ++v) {
            const long at = r * P + v * LANES;
            Vec &c = *(Vec *)(C + at), x = sum[r][v];
            if constexpr (finish == STORE) c = x;
            if constexpr (finish == RELU) c = x < 0.0f ? Vec{} : x;  // what is not a number stays so
            if constexpr (finish == MASK) c = *(const Vec *)(aside + at) > 0.0f ? x : Vec{};
            if constexpr (finish == UPDATE) {
                Vec &v_ = *(Vec *)(aside + at);
                const Vec moved = product.step.momentum * v_ + (x + product.step.decay * c);
                v_ = moved;
                c -= product.step.rate * moved;
            }
        }
}

template <int P, Finish finish> void tiles(const Product &product, long rows) {
    constexpr int most = tile_rows(P);
    for (long row = 0, left = (rows + most - 1) / most; left > 0; --left) {  // of nearly equal size
        const long size = (rows - row + left - 1) / left;
        switch (size) {
#define SIZE(R)                                                            \
    case R:                                                                \
        if constexpr (R <= most) tile<P, R, finish>(product, row);         \
        break;
            SIZE(1) SIZE(2) SIZE(3) SIZE(4) SIZE(5) SIZE(6) SIZE(7) SIZE(8)
            SIZE(9) SIZE(10) SIZE(11) SIZE(12) SIZE(13) SIZE(14) SIZE(15) SIZE(16)
#undef SIZE
        }
        row += size;
    }
}

template <Finish finish> void multiply(long width, long rows, const Product &product) {
    if (width == WIDEST)
        tiles<WIDEST, finish>(product, rows);
    else if constexpr (NARROWEST < WIDEST)
        tiles<NARROWEST, finish>(product, rows);
}

struct Floats {  // zeros, from the start of a cache line on
    float *at = nullptr;
    explicit Floats(long count = 0) {
        const std::size_t bytes = (std::size_t(count) * sizeof(float) + 127) / 64 * 64;
        at = static_cast<float *>(std::aligned_alloc(64, bytes));
        if (!at) throw std::bad_alloc();
        std::memset(at, 0, bytes);
    }
    Floats(const Floats &) = delete;
    Floats &operator=(const Floats &) = delete;
    ~Floats() { std::free(at); }
    operator float *() const { return at; }
};

typedef float Eight __attribute__((vector_size(32), aligned(4), may_alias));

void transpose8(const float *from, long from_step, float *to, long to_step) {
    Eight a[8], b[8];
    for (int i = 0; i < 8; ++i) a[i] = *(const Eight *)(from + i * from_step);
    for (int i = 0; i < 8; i += 2) {
        b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i : {0, 1, 4, 5}) {
        a[i] = __builtin_shufflevector(b[i], b[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        a[i + 2] = __builtin_shufflevector(b[i], b[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int i = 0; i < 4; ++i) {
        *(Eight *)(to + i * to_step) = __builtin_shufflevector(a[i], a[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        *(Eight *)(to + (i + 4) * to_step) = __builtin_shufflevector(a[i], a[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

// A layer's weights: a row for each input (padded), then a row of biases; panels over the layer's units.
struct Layer {
    const long inputs, units, rows;  // rows: padded inputs, and the bias where there is one
    const Panels over, into;         // inputs and units
    const bool bias, turns;
    Floats w, v, turned;             // turned: a row for each unit, panels over the inputs

    Layer(long inputs_, long units_, bool bias_, bool momentum, bool turned_)
        : inputs(inputs_), units(units_), rows(padded(panels_of(inputs_)) + (bias_ ? 1 : 0)), over(panels_of(inputs_)),
          into(panels_of(units_)), bias(bias_), turns(turned_), w(rows * padded(into)), v(momentum ? rows * padded(into) : 0),
          turned(turned_ ? padded(over) * padded(into) : 0) {}

    float *panel(const Panel &p) const { return w + p.first * rows; }
    float *momentum(const Panel &p) const { return v + p.first * rows; }
    long bias_row() const { return rows - 1; }

    // Between panels and arrays: W (units x inputs) with b, or, if `lying`, A (inputs x units).
    template <class Move> void each(bool lying, Move move) const {
        for (const Panel &p : into)
            for (long c = 0; c < p.width && p.first + c < units; ++c)
                for (long r = 0; r < inputs; ++r)
                    move(p.first * rows + r * p.width + c, lying ? r * units + p.first + c : (p.first + c) * inputs + r);
    }
    template <class Move> void each_bias(Move move) const {
        for (const Panel &p : into)
            for (long c = 0; c < p.width && p.first + c < units; ++c)
                move(p.first * rows + bias_row() * p.width + c, p.first + c);
    }

    void turn(const Panel &p) const {
        for (const Panel &q : over)
            for (long r = 0; r < q.width; r += 8)
                for (long c = 0; c < p.width; c += 8)
                    transpose8(panel(p) + (q.first + r) * p.width + c, p.width,
                               turned + q.first * padded(into) + (p.first + c) * q.width + r, q.width);
    }
};

// Terms for S (n rows, in panels) times rows of B that run over the same columns, of panels first..stop-1.
long terms_over(Term *terms, const Panels &panels, long first, long stop, const float *S, long n, long live, const float *B,
                long width) {
    for (long i = first; i < stop; ++i) {
        const Panel &p = panels[i];
        *terms++ = {S + p.first * n, p.width, 1, std::min(p.width, live - p.first), B + p.first * width};
    }
    return stop - first;
}

enum Kind { TWO_LAYER = 0, THREE_LAYER = 1, RESNET = 2 };

struct Network {
    const Kind kind;
    const long d, k, m;
    Layer first, second, last;  // last has the outputs as its inputs: A is k x m, its panels run over the hidden units

    Network(Kind kind_, long d_, long k_, long m_, bool bias, bool momentum)
        : kind(kind_), d(d_), k(k_), m(m_), first(d_, m_, bias, momentum, false),
          second(kind_ == THREE_LAYER ? m_ : k_, kind_ == TWO_LAYER ? 1 : m_, bias, momentum, kind_ != TWO_LAYER),
          last(k_, m_, false, momentum, true) {}
};

struct Batch {  // n samples and their activations, in panels
    const long n;
    Floats x, y, h, h2, dh, dh2, out1, out, dout, dout1;
    std::vector<Term> terms;

    Batch(const Network &net, long n_)
        : n(n_), x(n * net.d), y(n * padded(net.last.over)), h(n * padded(net.first.into)),
          h2(net.kind == TWO_LAYER ? 0 : n * padded(net.first.into)), dh(n * (net.kind == THREE_LAYER ? padded(net.first.into) : WIDEST)),
          dh2(net.kind == TWO_LAYER ? 0 : n * padded(net.first.into)), out1(n * padded(net.last.over)),
          out(n * padded(net.last.over)), dout(n * padded(net.last.over)), dout1(n * padded(net.last.over)),
          terms(2 * (net.first.into.size() + net.last.over.size())) {}
};

// h = relu(W x + b) in panels first..stop-1, of inputs that lie in panels.
void layer_from(const Layer &layer, Batch &batch, const float *S, float *h, long first, long stop) {
    for (long i = first; i < stop; ++i) {
        const Panel &p = layer.into[i];
        float *w = layer.panel(p);
        const long count =
            terms_over(batch.terms.data(), layer.over, 0, layer.over.size(), S, batch.n, layer.inputs, w, p.width);
        const float *bias = layer.bias ? w + layer.bias_row() * p.width : nullptr;
        multiply<RELU>(p.width, batch.n, {batch.terms.data(), count, bias, 0, h + p.first * batch.n, nullptr, {}});
    }
}

// sum = start + S times the turned matrix, in panels over the layer's inputs; the units of panels first..stop-1.
void add_turned(const Layer &layer, Batch &batch, const float *S, const float *start, float *sum, long first, long stop) {
    for (const Panel &q : layer.over) {
        const float *B = layer.turned + q.first * padded(layer.into);
        const long count = terms_over(batch.terms.data(), layer.into, first, stop, S, batch.n, layer.units, B, q.width);
        multiply<STORE>(q.width, batch.n,
                        {batch.terms.data(), count, start ? start + q.first * batch.n : nullptr, q.width,
                         sum + q.first * batch.n, nullptr, {}});
    }
}

// What a layer sends back: S times the rows of A, where h > 0.
void send_back(const Layer &last, Batch &batch, const float *S, const Panel &p, const float *h, float *to) {
    const long count =
        terms_over(batch.terms.data(), last.over, 0, last.over.size(), S, batch.n, last.inputs, last.panel(p), p.width);
    multiply<MASK>(p.width, batch.n, {batch.terms.data(), count, nullptr, 0, to, const_cast<float *>(h), {}});
}

// Chunks of panels whose activations are used again at once.
template <class Work> void in_chunks(const Panels &panels, Work work) {
    const long at_once = CHUNK / WIDEST;
    for (long first = 0, count = panels.size(); first < count; first += at_once)
        work(first, std::min(count, first + at_once));
}

void first_layer(const Network &net, Batch &batch, long first, long stop) {
    for (long i = first; i < stop; ++i) {
        const Panel &p = net.first.into[i];
        float *w = net.first.panel(p);
        const Term one = {batch.x, net.d, 1, net.d, w};
        const float *bias = net.first.bias ? w + net.first.bias_row() * p.width : nullptr;
        multiply<RELU>(p.width, batch.n, {&one, 1, bias, 0, batch.h + p.first * batch.n, nullptr, {}});
    }
}

void forward(const Network &net, Batch &batch) {
    const Panels &hidden = net.first.into;
    in_chunks(hidden, [&](long first, long stop) {
        first_layer(net, batch, first, stop);
        float *to = net.kind == RESNET ? batch.out1 : batch.out;
        if (net.kind != THREE_LAYER) add_turned(net.last, batch, batch.h, first ? to : nullptr, to, first, stop);
    });
    if (net.kind != TWO_LAYER)
        in_chunks(hidden, [&](long first, long stop) {
            layer_from(net.second, batch, net.kind == RESNET ? batch.out1 : batch.h, batch.h2, first, stop);
            const float *start = first ? batch.out.at : net.kind == RESNET ? batch.out1.at : nullptr;
            add_turned(net.last, batch, batch.h2, start, batch.out, first, stop);
        });
}

// The gradient of a panel's rows, sum over the batch of S[n, row] G[n, :], and the step along it.
void update_rows(const Layer &layer, Batch &batch, const Panel &p, const float *S, const float *G, const Step &step) {
    const long n = batch.n;
    float *w = layer.panel(p), *v = layer.momentum(p);
    for (const Panel &q : layer.over) {
        const Term one = {S + q.first * n, 1, q.width, n, G};
        multiply<UPDATE>(p.width, std::min(q.width, layer.inputs - q.first),
                         {&one, 1, nullptr, 0, w + q.first * p.width, v + q.first * p.width, step});
    }
}

void update_bias(const Layer &layer, const Batch &batch, const Panel &p, const float *G, const Step &step) {
    if (!layer.bias) return;
    static const float one = 1.0f;
    const Term sum = {&one, 0, 0, batch.n, G};
    const long at = layer.bias_row() * p.width;
    multiply<UPDATE>(p.width, 1, {&sum, 1, nullptr, 0, layer.panel(p) + at, layer.momentum(p) + at, step});
}

void descend(const Network &net, Batch &batch, bool train_last, const Step &step) {
    const long n = batch.n, entries = n * padded(net.last.over);
    const Panels &hidden = net.first.into;
    forward(net, batch);
    const float share = 1.0f / float(n);
    for (long i = 0; i < entries; ++i) batch.dout[i] = (batch.out[i] - batch.y[i]) * share;

    const float *at_first = batch.dout;  // the gradient at A h
    if (net.kind != TWO_LAYER)
        in_chunks(hidden, [&](long first, long stop) {
            for (long i = first; i < stop; ++i) {
                const Panel &p = hidden[i];
                send_back(net.last, batch, batch.dout, p, batch.h2 + p.first * n, batch.dh2 + p.first * n);
            }
            const float *start = first ? batch.dout1 : batch.dout;
            if (net.kind == RESNET) add_turned(net.second, batch, batch.dh2, start, batch.dout1, first, stop);
        });
    if (net.kind == RESNET) at_first = batch.dout1;
    if (net.kind == THREE_LAYER) add_turned(net.second, batch, batch.dh2, nullptr, batch.dh, 0, hidden.size());

    for (const Panel &p : hidden) {
        const float *h = batch.h + p.first * n, *h2 = batch.h2 + p.first * n, *dh2 = batch.dh2 + p.first * n;
        float *dh = batch.dh;
        if (net.kind == THREE_LAYER) {
            dh = batch.dh + p.first * n;
            for (long i = 0; i < n * p.width; ++i) dh[i] = h[i] > 0.0f ? dh[i] : 0.0f;
        } else {
            send_back(net.last, batch, at_first, p, h, dh);
        }
        if (net.kind != TWO_LAYER) {
            update_rows(net.second, batch, p, net.kind == RESNET ? batch.out1 : batch.h, dh2, step);
            update_bias(net.second, batch, p, dh2, step);
            net.second.turn(p);
        }
        const Term one = {batch.x, 1, net.d, n, dh};
        multiply<UPDATE>(p.width, net.d, {&one, 1, nullptr, 0, net.first.panel(p), net.first.momentum(p), step});
        update_bias(net.first, batch, p, dh, step);
        if (!train_last) continue;
        for (const Panel &q : net.last.over) {
            Term both[2];
            long count = 0;
            if (net.kind != THREE_LAYER) both[count++] = {at_first + q.first * n, 1, q.width, n, h};
            if (net.kind != TWO_LAYER) both[count++] = {batch.dout + q.first * n, 1, q.width, n, h2};
            const long at = q.first * p.width;
            multiply<UPDATE>(p.width, std::min(q.width, net.k - q.first),
                             {both, count, nullptr, 0, net.last.panel(p) + at, net.last.momentum(p) + at, step});
        }
        net.last.turn(p);
    }
}

struct NoTinyNumbers {  // numbers too small for full precision count as 0, as in XLA: they take hundreds of cycles
#if defined(__SSE2__)
    const unsigned before = _mm_getcsr();
    NoTinyNumbers() { _mm_setcsr(before | 0x8040); }
    ~NoTinyNumbers() { _mm_setcsr(before); }
#endif
};

void load(const Network &net, float *const *arrays, bool momentum) {
    const auto in = [&](const Layer &layer, const float *W, const float *b, bool lying) {
        float *to = momentum ? layer.v : layer.w;
        if (W) layer.each(lying, [&](long at, long from) { to[at] = W[from]; });
        if (W && b) layer.each_bias([&](long at, long from) { to[at] = b[from]; });
        if (!momentum && layer.turns)
            for (const Panel &p : layer.into) layer.turn(p);
    };
    in(net.first, arrays[0], arrays[1], false);
    if (net.kind != TWO_LAYER) in(net.second, arrays[2], arrays[3], false);
    in(net.last, arrays[4], nullptr, true);
}

void unload(const Network &net, float *const *arrays, bool momentum) {
    const auto out = [&](const Layer &layer, float *W, float *b, bool lying) {
        const float *from = momentum ? layer.v : layer.w;
        if (W) layer.each(lying, [&](long at, long to) { W[to] = from[at]; });
        if (W && b) layer.each_bias([&](long at, long to) { b[to] = from[at]; });
    };
    out(net.first, arrays[0], arrays[1], false);
    if (net.kind != TWO_LAYER) out(net.second, arrays[2], arrays[3], false);
    out(net.last, arrays[4], nullptr, true);
}

}  // namespace

// Weights and momenta: W, b1, U or V, b2, A in the shapes of the networks. No biases: null. A frozen: null momentum.
extern "C" int kernelgap_train(int kind, std::int64_t d, std::int64_t k, std::int64_t m, float *const *weights, float *const *momenta,
                               const float *x, const float *y, const std::int32_t *orders, std::int64_t n,
                               std::int64_t size, std::int64_t epochs,
                               const float *rates, float decay, float momentum) try {
    const NoTinyNumbers guard;
    Network net(Kind(kind), d, k, m, weights[1] != nullptr, true);
    load(net, weights, false);
    load(net, momenta, true);
    Batch full(net, size), rest(net, std::max<long>(1, n % size));
    for (long e = 0; e < epochs; ++e)
        for (long at = 0; at < n; at += size) {
            Batch &batch = at + size <= n ? full : rest;
            for (long r = 0; r < batch.n; ++r) {
                const long row = orders[e * n + at + r];
                std::memcpy(batch.x + r * d, x + row * d, sizeof(float) * d);
                for (const Panel &q : net.last.over)
                    std::memcpy(batch.y + q.first * batch.n + r * q.width, y + row * k + q.first,
                                sizeof(float) * std::min(q.width, k - q.first));
            }
            descend(net, batch, momenta[4] != nullptr, {rates[e], decay, momentum});
        }
    unload(net, weights, false);
    unload(net, momenta, true);
    return 0;
} catch (const std::bad_alloc &) {
    return 1;
}

// Outputs (n x k) of one network, or, if `first`, of a ResNet's first block.
extern "C" int kernelgap_outputs(int kind, std::int64_t d, std::int64_t k, std::int64_t m, float *const *weights,
                                 const float *x, std::int64_t n, int first, float *out) try {
    const NoTinyNumbers guard;
    Network net(Kind(kind), d, k, m, weights[1] != nullptr, false);
    load(net, weights, false);
    const long size = 48;
    Batch full(net, size), rest(net, std::max<long>(1, n % size));
    for (long at = 0; at < n; at += size) {
        Batch &batch = at + size <= n ? full : rest;
        std::memcpy(batch.x, x + at * d, sizeof(float) * batch.n * d);
        forward(net, batch);
        const float *from = first ? batch.out1 : batch.out;
        for (const Panel &q : net.last.over)
            for (long r = 0; r < batch.n; ++r)
                std::memcpy(out + (at + r) * k + q.first, from + q.first * batch.n + r * q.width,
                            sizeof(float) * std::min(q.width, k - q.first));
    }
    return 0;
} catch (const std::bad_alloc &) {
    return 1;
}
