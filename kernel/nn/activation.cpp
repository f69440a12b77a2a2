#include "nn/activation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "nn/vector_loops.hpp"

namespace crossarc {
namespace {

// The loops. Each is a type, so that it can be compiled once for each vector path.

struct LstmStep {
  [[gnu::always_inline]] static void run(float* __restrict gates, const float* __restrict previous,
                                         float* __restrict cells, float* __restrict squashed, float* __restrict hidden,
                                         std::size_t count) {
    for (std::size_t cell = 0; cell < 3 * count; ++cell) gates[cell] = logistic(gates[cell]);
    for (std::size_t cell = 3 * count; cell < 4 * count; ++cell) gates[cell] = squash(gates[cell]);
    for (std::size_t cell = 0; cell < count; ++cell) cells[cell] = gates[cell] * gates[3 * count + cell];
    if (previous != nullptr) {
      for (std::size_t cell = 0; cell < count; ++cell) cells[cell] += gates[count + cell] * previous[cell];
    }
    for (std::size_t cell = 0; cell < count; ++cell) {
      squashed[cell] = squash(cells[cell]);
      hidden[cell] = gates[2 * count + cell] * squashed[cell];
    }
  }
};

struct LstmReadStep {
  [[gnu::always_inline]] static void run(const float* __restrict inputs, bool first, float* __restrict gates,
                                         float* __restrict cells, float* __restrict hidden, std::size_t count) {
    if (first) {
      std::fill_n(gates, 4 * count, 0.0F);
      std::fill_n(cells, count, 0.0F);
    }
    for (std::size_t cell = 0; cell < 3 * count; ++cell) gates[cell] = logistic(inputs[cell] + gates[cell]);
    for (std::size_t cell = 3 * count; cell < 4 * count; ++cell) gates[cell] = squash(inputs[cell] + gates[cell]);
    // Rounded as in the step that learns: first the one product, then the other added to it.
    for (std::size_t cell = 0; cell < count; ++cell) gates[cell] *= gates[3 * count + cell];
    for (std::size_t cell = 0; cell < count; ++cell) cells[cell] = gates[cell] + gates[count + cell] * cells[cell];
    for (std::size_t cell = 0; cell < count; ++cell) hidden[cell] = gates[2 * count + cell] * squash(cells[cell]);
  }
};

struct LstmByteStep {
  [[gnu::always_inline]] static void run(const float* __restrict inputs, bool first, float* __restrict gates,
                                         float* __restrict cells, float* __restrict hidden, std::size_t count) {
    constexpr float kBits = 1.44269504F;  // of the logarithm to the base of two
    if (first) {
      std::fill_n(gates, 4 * count, 0.0F);
      std::fill_n(cells, count, 0.0F);
    }
    // With a = e^-x, a logistic gate is 1 / (1 + a), and with b = e^-2y, tanh y is (1 - b) / (1 + b): what a cell
    // becomes is one fraction, and what it says another. Two loops, so that a processor sees more than one cell at a
    // time.
    for (std::size_t cell = 0; cell < count; ++cell) {
      const float input = 1.0F + power_of_two(-kBits * (inputs[cell] + gates[cell]));
      const float forget = 1.0F + power_of_two(-kBits * (inputs[count + cell] + gates[count + cell]));
      const float candidate = power_of_two(-2.0F * kBits * (inputs[3 * count + cell] + gates[3 * count + cell]));
      const float taken = input * (1.0F + candidate);
      cells[cell] = (cells[cell] * taken + (1.0F - candidate) * forget) / (taken * forget);
    }
    for (std::size_t cell = 0; cell < count; ++cell) {
      const float output = 1.0F + power_of_two(-kBits * (inputs[2 * count + cell] + gates[2 * count + cell]));
      const float squashed = power_of_two(-2.0F * kBits * cells[cell]);
      hidden[cell] = (1.0F - squashed) / (output * (1.0F + squashed));
    }
  }
};

struct LstmStepBack {
  [[gnu::always_inline]] static void run(float* gates, const float* previous, const float* squashed,
                                         const float* hidden_gradient, float* cell_gradient, std::size_t count) {
    // Without a condition in the loop, so that it becomes vectors.
    const auto go = [&](const auto& before) CROSSARC_INLINE_LAMBDA {
      go_back(gates, gates + count, gates + 2 * count, gates + 3 * count, before, squashed, hidden_gradient,
              cell_gradient, count);
    };
    if (previous == nullptr) {
      go([](std::size_t) { return 0.0F; });
    } else {
      go([previous](std::size_t cell) { return previous[cell]; });
    }
  }

 private:
  template <typename Before>
  [[gnu::always_inline]] static void go_back(float* __restrict input, float* __restrict forget,
                                             float* __restrict output, float* __restrict candidate,
                                             const Before& before, const float* __restrict squashed,
                                             const float* __restrict hidden_gradient, float* __restrict cell_gradient,
                                             std::size_t count) {
    for (std::size_t cell = 0; cell < count; ++cell) {
      const float from_hidden = hidden_gradient[cell];
      const float through = cell_gradient[cell] + from_hidden * output[cell] * (1.0F - squashed[cell] * squashed[cell]);
      cell_gradient[cell] = through * forget[cell];
      const float input_gradient = through * candidate[cell] * input[cell] * (1.0F - input[cell]);
      candidate[cell] = through * input[cell] * (1.0F - candidate[cell] * candidate[cell]);
      input[cell] = input_gradient;
      forget[cell] = through * before(cell) * forget[cell] * (1.0F - forget[cell]);
      output[cell] = from_hidden * squashed[cell] * output[cell] * (1.0F - output[cell]);
    }
  }
};

struct AdamUpdate {
  [[gnu::always_inline]] static void run(AdamStep step, float* __restrict values, const float* __restrict gradients,
                                         float* __restrict first, float* __restrict second, std::size_t count) {
    for (std::size_t place = 0; place < count; ++place) {
      const float gradient = gradients[place] * step.scale;
      first[place] = step.first_decay * first[place] + (1.0F - step.first_decay) * gradient;
      second[place] = step.second_decay * second[place] + (1.0F - step.second_decay) * gradient * gradient;
      values[place] -= step.rate * first[place] / (std::sqrt(second[place]) + 1e-8F);
    }
  }
};

struct FillMask {
  [[gnu::always_inline]] static void run(float* mask, std::size_t count, float dropped, std::uint64_t seed) {
    const float kept = 1.0F / (1.0F - dropped);
    const auto threshold = static_cast<std::uint32_t>(dropped * 0x1p24F);
    const auto low = static_cast<std::uint32_t>(seed);
    const auto high = static_cast<std::uint32_t>(seed >> 32);
    for (std::size_t place = 0; place < count; ++place) {
      // MurmurHash3's finaliser over a counter: a generator without a state is one whose values come many at once.
      std::uint32_t bits = low + static_cast<std::uint32_t>(place) * 0x9E3779B9U;
      bits = (bits ^ (bits >> 16)) * 0x85EBCA6BU;
      bits = (bits ^ (bits >> 13) ^ high) * 0xC2B2AE35U;
      bits ^= bits >> 16;
      mask[place] = (bits >> 8) < threshold ? 0.0F : kept;
    }
  }
};

struct Add {
  [[gnu::always_inline]] static void run(float* __restrict to, const float* __restrict from, std::size_t count) {
    for (std::size_t place = 0; place < count; ++place) to[place] += from[place];
  }
};

struct AddScaled {
  [[gnu::always_inline]] static void run(float* __restrict to, const float* __restrict from, float factor,
                                         std::size_t count) {
    for (std::size_t place = 0; place < count; ++place) to[place] += factor * from[place];
  }
};

struct Scale {
  [[gnu::always_inline]] static void run(float* __restrict values, const float* __restrict factors, std::size_t count) {
    for (std::size_t place = 0; place < count; ++place) values[place] *= factors[place];
  }
};

struct Dot {
  [[gnu::always_inline]] static float run(const float* __restrict left, const float* __restrict right,
                                          std::size_t count) {
    constexpr std::size_t kLanes = 16;  // as many sums side by side, in an order that does not depend on the processor
    float sums[kLanes] = {};
    std::size_t place = 0;
    for (; place + kLanes <= count; place += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += left[place + lane] * right[place + lane];
    }
    float sum = 0.0F;
    for (; place < count; ++place) sum += left[place] * right[place];
    for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
      for (std::size_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
    }
    return sum + sums[0];
  }
};

struct Maximum {
  [[gnu::always_inline]] static float run(const float* values, std::size_t count) {
    constexpr std::size_t kLanes = 16;  // maxima side by side
    const std::size_t whole = count / kLanes * kLanes;
    float highest[kLanes];
    for (float& one : highest) one = values[0];
    for (std::size_t place = 0; place < whole; place += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        highest[lane] = larger(values[place + lane], highest[lane]);
      }
    }
    float largest = highest[0];
    for (const float one : highest) largest = larger(one, largest);
    for (std::size_t place = whole; place < count; ++place) largest = larger(values[place], largest);
    return largest;
  }
};

struct LogSoftmax {
  [[gnu::always_inline]] static void run(float* scores, std::size_t count, float temperature) {
    constexpr std::size_t kLanes = 16;  // sums side by side, in an order that does not depend on the path
    const std::size_t whole = count / kLanes * kLanes;
    const float largest = Maximum::run(scores, count);
    float sums[kLanes] = {};
    for (std::size_t place = 0; place < whole; place += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        float& score = scores[place + lane];
        score = (score - largest) / temperature;
        sums[lane] += exponential(score);
      }
    }
    float sum = 0.0F;
    for (std::size_t place = whole; place < count; ++place) {
      scores[place] = (scores[place] - largest) / temperature;
      sum += exponential(scores[place]);
    }
    for (const float one : sums) sum += one;
    const float log_sum = std::log(sum);
    for (std::size_t place = 0; place < count; ++place) scores[place] -= log_sum;
  }
};

struct Rectify {
  [[gnu::always_inline]] static void run(float* values, std::size_t count) {
    for (std::size_t place = 0; place < count; ++place) {
      values[place] = larger(values[place], kLeak * values[place]);
    }
  }
};

}  // namespace

void lstm_step(float* gates, const float* previous, float* cells, float* squashed, float* hidden, std::size_t count) {
  run_loop<LstmStep>(gates, previous, cells, squashed, hidden, count);
}

void lstm_read_step(const float* inputs, bool first, float* gates, float* cells, float* hidden, std::size_t count) {
  run_loop<LstmReadStep>(inputs, first, gates, cells, hidden, count);
}

void lstm_byte_step(const float* inputs, bool first, float* gates, float* cells, float* hidden, std::size_t count) {
  run_loop<LstmByteStep>(inputs, first, gates, cells, hidden, count);
}

void lstm_step_back(float* gates, const float* previous, const float* squashed, const float* hidden_gradient,
                    float* cell_gradient, std::size_t count) {
  run_loop<LstmStepBack>(gates, previous, squashed, hidden_gradient, cell_gradient, count);
}

void adam_update(const AdamStep& step, float* values, const float* gradients, float* first, float* second,
                 std::size_t count) {
  run_loop<AdamUpdate>(step, values, gradients, first, second, count);
}

void fill_mask(float* mask, std::size_t count, float dropped, std::uint64_t seed) {
  run_loop<FillMask>(mask, count, dropped, seed);
}

void add(float* to, const float* from, std::size_t count) { run_loop<Add>(to, from, count); }

void add_scaled(float* to, const float* from, float factor, std::size_t count) {
  run_loop<AddScaled>(to, from, factor, count);
}

void scale(float* values, const float* factors, std::size_t count) { run_loop<Scale>(values, factors, count); }

float dot(const float* left, const float* right, std::size_t count) { return run_loop<Dot>(left, right, count); }

float maximum(const float* values, std::size_t count) { return run_loop<Maximum>(values, count); }

void log_softmax(float* scores, std::size_t count, float temperature) {
  run_loop<LogSoftmax>(scores, count, temperature);
}

void rectify(float* values, std::size_t count) { run_loop<Rectify>(values, count); }

}  // namespace crossarc
