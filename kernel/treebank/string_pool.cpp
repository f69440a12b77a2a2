#include "treebank/string_pool.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace crossarc {
namespace {

constexpr std::size_t kFirstSlots = 64;  // few: a service makes a pool for every sentence
// Odd numbers without a pattern, so that no key of zeros stays zero.
constexpr std::uint64_t kOdd[4] = {0x9E3779B97F4A7C15ULL, 0xD6E8FEB86659FD93ULL, 0xA0761D6478BD642FULL,
                                   0xE7037ED1A0B428DBULL};

std::uint64_t load(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

std::uint64_t mix_pair(const char* at, std::uint64_t first, std::uint64_t second) {
  return folded_product(load(at) ^ first, load(at + 8) ^ second);
}

}  // namespace

// Every byte of a longer string counts. Up to 64 bytes there is no loop, whose end the processor would guess wrong.
StringPool::Key StringPool::key_of(std::string_view text) {
  const char* data = text.data();
  const std::size_t length = text.size();
  if (length <= kShort) {
    char padded[2 * kShort] = {};
    std::copy(text.begin(), text.end(), padded);
    return key_of_short(padded, length);
  }
  const std::size_t last = length - 16;
  std::uint64_t first =
      mix_pair(data, kOdd[0], kOdd[1]) + mix_pair(data + std::min<std::size_t>(16, last), kOdd[2], kOdd[3]);
  std::uint64_t second =
      mix_pair(data + std::min<std::size_t>(32, last), kOdd[1], kOdd[2]) + mix_pair(data + last, kOdd[3], kOdd[0]);
  for (std::size_t at = 48; at < last; at += 16) {
    first = folded_product(first ^ load(data + at), kOdd[2] ^ load(data + at + 8));
    second += first;
  }
  return {first, second, static_cast<std::uint32_t>(length)};
}

StringPool::StringPool(Mark mark) : mark_(mark), offsets_{0}, slots_(kFirstSlots), mask_(kFirstSlots - 1) {
  insert("_");
}

std::size_t StringPool::place(const Key& key, std::uint64_t hash, std::string_view text) const {
  std::size_t at = hash & mask_;
  while (slots_[at].id >= 0) {
    if (slots_[at].is(key) && (text.size() <= kShort || same(text, slots_[at].id))) break;
    at = (at + 1) & mask_;
  }
  return at;
}

StringPool::Entry StringPool::insert_slowly(const Key& key, std::uint64_t hash, std::string_view text) {
  const std::size_t at = place(key, hash, text);
  if (slots_[at].id >= 0) return {slots_[at].id, slots_[at].mark};
  if (size() == std::numeric_limits<std::int32_t>::max()) throw std::length_error("more than 2^31 different strings");
  if (text.size() >= kFree) throw std::length_error("a string of over 4 GB");
  const Entry entry{size(), mark_ == nullptr ? 0 : mark_(text)};
  bytes_.insert(bytes_.end(), text.begin(), text.end());
  offsets_.push_back(bytes_.size());
  slots_[at] = {key.first, key.second, key.length, entry.id, entry.mark};
  if (offsets_.size() * 2 > slots_.size()) grow();
  return entry;
}

std::int32_t StringPool::find(std::string_view text) const {
  const Key key = key_of(text);
  return slots_[place(key, key.hash(), text)].id;
}

std::size_t StringPool::memory() const {
  return bytes_.capacity() + offsets_.capacity() * sizeof(offsets_[0]) + slots_.capacity() * sizeof(Slot);
}

void StringPool::grow() {
  LongArray<Slot> larger(slots_.size() * 2);
  mask_ = larger.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.id < 0) continue;
    std::size_t at = Key{slot.first, slot.second, slot.length}.hash() & mask_;
    while (larger[at].id >= 0) at = (at + 1) & mask_;
    larger[at] = slot;
  }
  slots_ = std::move(larger);
}

}  // namespace crossarc
