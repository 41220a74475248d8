#pragma once

#include "runtime/search/index/chunked.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// The sources seen by a tree: normalised digest to the first node that had it, and the latest digests in
/// full. Keeps 16 bytes of each digest and at most 10 of table: about 26 MB for a million.
class digest_filter {
public:
  /// The first node with this source: `node` itself if it is new. Digests are 64 hexadecimal digits; another
  /// text is hashed first.
  std::uint32_t note(std::string_view digest, std::uint32_t node);
  std::optional<std::uint32_t> find(std::string_view digest) const;

  /// The latest distinct digests as given, oldest first, at most 4,096 (the `tried` list of a prompt).
  std::vector<std::string> latest(std::size_t most = 4096) const;
  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const;

  void save(image_writer& out) const;
  void load(image_reader& in); ///< in place of what was here

private:
  using short_digest = std::array<std::uint8_t, 16>;
  struct entry {
    short_digest digest{};
    std::uint32_t node = 0;
  };
  static short_digest shorten(std::string_view digest);
  std::size_t slot_of(const short_digest& d) const;
  void grow();
  void rehash(std::size_t slots);

  chunked<entry> entries_;
  /// Entry + 1; 0: empty. Open addressing; a power of two, at most two thirds full.
  std::vector<std::uint32_t> slots_;
  std::deque<std::array<std::uint8_t, 32>> latest_;
};

} // namespace ke
