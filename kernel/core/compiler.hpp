// What compilers and systems call by different names: vectors of 16 bytes, loops without dependences, prefetching,
// products of 128 bits, the memory of the machine. GCC and Clang (on Windows clang-cl, too) compile everything with
// vectors. MSVC's own compiler knows neither vector types nor functions for one instruction set: it gets the plain
// loops below and the narrow path (core/vector_path.hpp). Every function is O(1).
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(_WIN32)
// Declared here: <windows.h> would make macros of `near`, `far` and other words.
extern "C" __declspec(dllimport) int __stdcall GetPhysicallyInstalledSystemMemory(unsigned long long* kibibytes);
#else
#include <unistd.h>
#endif
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// Before a loop: its rounds do not depend on each other through memory. Without it Clang gives up where many rows might
// overlap.
#if defined(__clang__)
#define CROSSARC_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define CROSSARC_INDEPENDENT _Pragma("GCC ivdep")
#elif defined(_MSC_VER)
#define CROSSARC_INDEPENDENT __pragma(loop(ivdep))
#else
#define CROSSARC_INDEPENDENT
#endif

// Between the parameters and the body of a lambda: it is always inlined.
#if defined(__GNUC__)
#define CROSSARC_INLINE_LAMBDA __attribute__((always_inline))
#define CROSSARC_INLINE inline __attribute__((always_inline))
#else
#define CROSSARC_INLINE_LAMBDA
#define CROSSARC_INLINE __forceinline
#endif

// 1: vectors are the compiler's own. 0 gives the plain ones, with any compiler.
#if !defined(CROSSARC_VECTOR_TYPES)
#if defined(__GNUC__)
#define CROSSARC_VECTOR_TYPES 1
#else
#define CROSSARC_VECTOR_TYPES 0
#endif
#endif

namespace crossarc {

#if CROSSARC_VECTOR_TYPES
template <typename Value>
struct VectorOf {
  typedef Value Type __attribute__((vector_size(16)));
};

// The larger value of each lane; none is NaN. One instruction: x86-64 has it for the comparison as it stands, aarch64
// for values that are no NaN, which compilers do not know.
template <typename Vector>
[[gnu::always_inline]] inline void raise_lanes(Vector& own, const Vector& other) {
#if defined(__aarch64__)
  if constexpr (sizeof(own[0]) == sizeof(float)) {
    own = Vector(vmaxnmq_f32(float32x4_t(own), float32x4_t(other)));
  } else {
    own = Vector(vmaxnmq_f64(float64x2_t(own), float64x2_t(other)));
  }
#else
  own = own > other ? own : other;
#endif
}
#else
// As much as the kernel asks of a vector, in loops that compilers turn into one instruction.
template <typename Value>
struct alignas(16) PlainVector {
  static constexpr std::size_t kLanes = 16 / sizeof(Value);
  Value lanes[kLanes];

  Value operator[](std::size_t lane) const { return lanes[lane]; }
  Value& operator[](std::size_t lane) { return lanes[lane]; }
  PlainVector& operator+=(const PlainVector& other) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += other.lanes[lane];
    return *this;
  }
  friend PlainVector operator+(PlainVector left, const PlainVector& right) { return left += right; }
  friend PlainVector operator*(Value factor, PlainVector vector) {
    for (Value& lane : vector.lanes) lane *= factor;
    return vector;
  }
};

template <typename Value>
struct VectorOf {
  using Type = PlainVector<Value>;
};

template <typename Vector>
inline void raise_lanes(Vector& own, const Vector& other) {
  for (std::size_t lane = 0; lane < Vector::kLanes; ++lane) {
    own.lanes[lane] = own.lanes[lane] > other.lanes[lane] ? own.lanes[lane] : other.lanes[lane];
  }
}
#endif

// Says that an address will be read soon.
inline void fetch_ahead([[maybe_unused]] const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#elif defined(_M_X64)
  _mm_prefetch(static_cast<const char*>(address), _MM_HINT_T0);
#endif
}

// A product of 128 bits, its halves folded: every bit of the factors reaches every bit of the result.
inline std::uint64_t folded_product(std::uint64_t left, std::uint64_t right) {
#if defined(__SIZEOF_INT128__)
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(left) * right;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#elif defined(_M_X64)
  std::uint64_t high = 0;
  const std::uint64_t low = _umul128(left, right, &high);
  return low ^ high;
#else
  return (left * right) ^ __umulh(left, right);
#endif
}

// The memory of the machine, in bytes; 8 GiB where nobody says.
inline std::size_t machine_memory() {
#if defined(_WIN32)
  unsigned long long kibibytes = 0;
  if (GetPhysicallyInstalledSystemMemory(&kibibytes) != 0) return static_cast<std::size_t>(kibibytes) << 10;
#elif defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
  const auto pages = sysconf(_SC_PHYS_PAGES);
  const auto size = sysconf(_SC_PAGESIZE);
  if (pages > 0 && size > 0) return static_cast<std::size_t>(pages) * static_cast<std::size_t>(size);
#endif
  return std::size_t{8} << 30;
}

}  // namespace crossarc
