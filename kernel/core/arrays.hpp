// Arrays as the kernel keeps and takes them: memory for long ones, and offsets into them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace crossarc {

// Memory for long arrays: left uninitialised, since it is written once by index, and in large pages where the system
// has them, since page faults and address look-ups would otherwise take a good part of the time of reading.
template <typename Value>
struct LongArrayAllocator : std::allocator<Value> {
  template <typename Other>
  struct rebind {
    using other = LongArrayAllocator<Other>;
  };

  Value* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(Value);
    if (bytes < kLong) return std::allocator<Value>::allocate(count);
    void* memory = ::operator new(bytes, std::align_val_t(kLargePage));
#if defined(__linux__)
    madvise(memory, bytes, MADV_HUGEPAGE);  // only advice: the result does not matter
#endif
    return static_cast<Value*>(memory);
  }
  void deallocate(Value* memory, std::size_t count) {
    if (count * sizeof(Value) < kLong) return std::allocator<Value>::deallocate(memory, count);
    ::operator delete(memory, std::align_val_t(kLargePage));
  }

  template <typename Other>
  void construct(Other* at) noexcept {
    ::new (static_cast<void*>(at)) Other;
  }
  template <typename Other, typename... Arguments>
  void construct(Other* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) Other(std::forward<Arguments>(arguments)...);
  }

 private:
  static constexpr std::size_t kLargePage = std::size_t{1} << 21;
  static constexpr std::size_t kLong = 2 * kLargePage;
};

template <typename Value>
using LongArray = std::vector<Value, LongArrayAllocator<Value>>;

// Offsets: where the rows of each item (the words of a sentence, the arcs of a tree) begin in a long array. Those of
// item i are offsets[i] to offsets[i + 1] - 1.
// Throws std::invalid_argument unless offsets lead from 0 to `total` without going back. O(items).
inline void check_offsets(std::span<const std::int64_t> offsets, std::size_t total) {
  const bool good = !offsets.empty() && offsets.front() == 0 && std::is_sorted(offsets.begin(), offsets.end()) &&
                    offsets.back() == static_cast<std::int64_t>(total);
  if (!good) throw std::invalid_argument("offsets must start at 0, ascend, and end at the number of rows");
}

}  // namespace crossarc
