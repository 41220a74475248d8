#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ke {

/// Immutable text that is copied by reference. Copies may live on different threads.
class shared_text {
public:
  shared_text() = default;
  shared_text(std::string text) : text_{std::make_shared<const std::string>(std::move(text))} {}
  shared_text(const char* text) : shared_text{std::string{text}} {}

  const std::string& str() const {
    static const std::string none;
    return text_ ? *text_ : none;
  }
  operator const std::string&() const { return str(); }
  std::size_t size() const { return str().size(); }
  bool empty() const { return str().empty(); }
  /// Whether both are one text in memory, not only equal.
  bool is(const shared_text& other) const { return text_ == other.text_; }
  /// Whether no other copy lives. May miss one that another thread makes at this moment.
  bool alone() const { return text_.use_count() <= 1; }

private:
  std::shared_ptr<const std::string> text_;
};

/// Gives equal texts one place in memory, so that prompts in flight share what they say. Keeps up to `most`
/// texts; when full it forgets those that nobody else holds, then leaves new ones unshared. Thread-safe.
class text_pool {
public:
  explicit text_pool(std::size_t most = 512) : most_{most} {}

  shared_text one_of(std::string text) {
    auto hash = std::hash<std::string_view>{}(text);
    std::lock_guard lock{mutex_};
    auto [at, end] = kept_.equal_range(hash);
    for (; at != end; ++at)
      if (at->second.str() == text)
        return at->second;
    if (kept_.size() >= most_)
      std::erase_if(kept_, [](const auto& k) { return k.second.alone(); });
    shared_text made{std::move(text)};
    if (kept_.size() < most_)
      kept_.emplace(hash, made);
    return made;
  }

private:
  std::mutex mutex_;
  std::size_t most_;
  std::unordered_multimap<std::size_t, shared_text> kept_;
};

} // namespace ke
