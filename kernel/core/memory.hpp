// Memory for long arrays: left uninitialised, since it is written once by index, and in large pages where the system
// has them, since page faults and address look-ups would otherwise take a good part of the time of reading.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace crossarc {

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

}  // namespace crossarc
