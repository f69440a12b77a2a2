// Which vector instructions the kernel uses: the widest that the processor has, or fewer if the environment variable
// CROSSARC_VECTOR says so (narrow, avx2, avx512, vnni). It is read once. `narrow` is what every processor of the
// platform has: SSE2 on x86-64; on aarch64 NEON, where it is the only path but for products of bytes. Programs with
// several paths are compiled once for each and choose among them by vector_path(). Results of networks differ between
// paths in the last digits, since the wide ones multiply and add in one rounding; those of decoders do not differ.
#pragma once

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

// Before a function: it is compiled for that path. What it calls must be inlined to be compiled so, too.
#if defined(__x86_64__)
#define CROSSARC_WIDE_PATHS 1
#define CROSSARC_AVX2 __attribute__((target("avx2,fma")))
#define CROSSARC_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")))
#else
#define CROSSARC_WIDE_PATHS 0
#endif

namespace crossarc {

// VNNI is that of AVX-512: products of bytes are added up four at a time.
enum class VectorPath : std::uint8_t { kNarrow, kAvx2, kAvx512, kVnni };

inline constexpr std::string_view kVectorPathNames[] = {"narrow", "avx2", "avx512", "vnni"};

#if CROSSARC_WIDE_PATHS
// What the processor can do and the system keeps when it switches between programs, by CPUID and XGETBV:
// __builtin_cpu_supports needs a library that Clang on Windows does not link.
struct Processor {
  bool avx2 = false;    // with FMA
  bool avx512 = false;  // F, BW, DQ and VL
  bool vnni = false;
};

inline Processor this_processor() {
  Processor found;
  unsigned a = 0, b = 0, c = 0, d = 0;
  const auto all = [](unsigned word, auto... bits) { return ((word >> bits & 1U) & ...) != 0; };
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || !all(c, 12, 27, 28)) return found;  // FMA, OSXSAVE, AVX
  unsigned kept = 0;
  __asm__ volatile("xgetbv" : "=a"(kept), "=d"(d) : "c"(0));
  if (!all(kept, 1, 2) || __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return found;
  found.avx2 = all(b, 5);
  found.avx512 = found.avx2 && all(kept, 5, 6, 7) && all(b, 16, 17, 30, 31);
  found.vnni = found.avx512 && all(c, 11);
  return found;
}
#endif

inline VectorPath widest_vector_path() {
#if CROSSARC_WIDE_PATHS
  const Processor processor = this_processor();
  if (processor.vnni) return VectorPath::kVnni;
  if (processor.avx512) return VectorPath::kAvx512;
  if (processor.avx2) return VectorPath::kAvx2;
#endif
  return VectorPath::kNarrow;
}

// The path that CROSSARC_VECTOR allows at most, null or empty for any. Throws std::invalid_argument if it is none.
inline VectorPath allowed_vector_path(const char* setting) {
  if (setting == nullptr || *setting == '\0') return VectorPath::kVnni;
  const auto* const found = std::find(std::begin(kVectorPathNames), std::end(kVectorPathNames), setting);
  if (found == std::end(kVectorPathNames)) {
    throw std::invalid_argument("CROSSARC_VECTOR is narrow, avx2, avx512 or vnni, not " + std::string(setting));
  }
  return static_cast<VectorPath>(found - std::begin(kVectorPathNames));
}

inline VectorPath vector_path() {
  static const VectorPath chosen = std::min(widest_vector_path(), allowed_vector_path(std::getenv("CROSSARC_VECTOR")));
  return chosen;
}

#if defined(__aarch64__)
// Whether products of bytes are added up four at a time, by SDOT.
inline bool has_dot_products() {
#if defined(__linux__)
  constexpr unsigned long kDotProducts = 1UL << 20;  // HWCAP_ASIMDDP
  return allowed_vector_path(std::getenv("CROSSARC_VECTOR")) != VectorPath::kNarrow &&
         (getauxval(AT_HWCAP) & kDotProducts) != 0;
#elif defined(__APPLE__)
  return allowed_vector_path(std::getenv("CROSSARC_VECTOR")) != VectorPath::kNarrow;  // all of them have it
#else
  return false;
#endif
}
#endif

}  // namespace crossarc
