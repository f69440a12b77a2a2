// The sizes of encoders and heads as a model file has them: named lists of whole numbers. What a kind needs it takes by
// name, within bounds; what it does not know is refused.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace crossarc {

using Sizes = std::map<std::string, std::vector<std::int64_t>>;

class SizeReader {
 public:
  static constexpr std::int64_t kLargest = 1 << 14;

  explicit SizeReader(Sizes sizes) : sizes_(std::move(sizes)) {}

  std::vector<std::size_t> take_list(const std::string& name, std::int64_t least = 1, std::int64_t most = kLargest) {
    const auto entry = sizes_.find(name);
    if (entry == sizes_.end()) throw std::invalid_argument("the sizes of a network lack " + name);
    std::vector<std::size_t> values;
    for (const std::int64_t value : entry->second) {
      if (value < least || value > most) {
        throw std::invalid_argument(name + " is from " + std::to_string(least) + " to " + std::to_string(most) +
                                    ", not " + std::to_string(value));
      }
      values.push_back(static_cast<std::size_t>(value));
    }
    sizes_.erase(entry);
    return values;
  }
  std::size_t take(const std::string& name, std::int64_t least = 1, std::int64_t most = kLargest) {
    const std::vector<std::size_t> values = take_list(name, least, most);
    if (values.size() != 1) throw std::invalid_argument(name + " is one number");
    return values.front();
  }
  void finish() const {
    if (!sizes_.empty()) throw std::invalid_argument("no such size of a network: " + sizes_.begin()->first);
  }

 private:
  Sizes sizes_;
};

// Kinds of encoders or of heads by name. A file of a kind has a static object that registers it, and nothing else knows
// of it.
template <typename Kind>
class Registry {
 public:
  using Make = std::unique_ptr<Kind> (*)(std::size_t inputs, SizeReader& sizes);

  static std::map<std::string, Make>& kinds() {
    static std::map<std::string, Make> known;
    return known;
  }
  // `inputs`: of a head, what the encoder says of a word.
  static std::unique_ptr<Kind> make(const std::string& kind, std::size_t inputs, const Sizes& sizes) {
    const auto entry = kinds().find(kind);
    if (entry == kinds().end()) throw std::invalid_argument("no such part of a network: " + kind);
    SizeReader reader(sizes);
    std::unique_ptr<Kind> made = entry->second(inputs, reader);
    reader.finish();
    return made;
  }
  Registry(const char* kind, Make maker) { kinds().emplace(kind, maker); }
};

}  // namespace crossarc
