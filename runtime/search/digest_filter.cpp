#include "runtime/search/digest_filter.hpp"

#include "runtime/core/digest.hpp"

#include <algorithm>
#include <cstring>

namespace ke {

namespace {

int nibble(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool decode(std::string_view hex, std::array<std::uint8_t, 32>& out) {
  if (hex.size() != 64)
    return false;
  for (std::size_t i = 0; i < 32; ++i) {
    auto high = nibble(hex[2 * i]), low = nibble(hex[2 * i + 1]);
    if (high < 0 || low < 0)
      return false;
    out[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return true;
}

std::array<std::uint8_t, 32> bytes_of(std::string_view digest) {
  std::array<std::uint8_t, 32> bytes{};
  if (!decode(digest, bytes))
    decode(digest_of(digest), bytes);
  return bytes;
}

std::string text_of(const std::array<std::uint8_t, 32>& bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(64);
  for (auto b : bytes) {
    text += digits[b >> 4];
    text += digits[b & 15];
  }
  return text;
}

} // namespace

digest_filter::short_digest digest_filter::shorten(std::string_view digest) {
  auto bytes = bytes_of(digest);
  short_digest d;
  std::copy_n(bytes.begin(), d.size(), d.begin());
  return d;
}

/// The slot that holds `d`, or the empty one where it belongs. slots_ is never full.
std::size_t digest_filter::slot_of(const short_digest& d) const {
  std::uint64_t h;
  std::memcpy(&h, d.data(), sizeof h); // a digest is its own hash
  auto mask = slots_.size() - 1;
  auto at = h & mask;
  while (slots_[at] && entries_[slots_[at] - 1].digest != d)
    at = (at + 1) & mask;
  return at;
}

void digest_filter::grow() {
  rehash(slots_.empty() ? 64 : slots_.size() * 2);
}

void digest_filter::rehash(std::size_t slots) {
  slots_ = {};
  slots_.resize(slots, 0);
  for (std::size_t i = 0; i < entries_.size(); ++i)
    slots_[slot_of(entries_[i].digest)] = static_cast<std::uint32_t>(i + 1);
}

std::uint32_t digest_filter::note(std::string_view digest, std::uint32_t node) {
  if ((entries_.size() + 1) * 3 > slots_.size() * 2)
    grow();
  auto d = shorten(digest);
  auto& slot = slots_[slot_of(d)];
  if (slot)
    return entries_[slot - 1].node;
  entries_.push_back({d, node});
  slot = static_cast<std::uint32_t>(entries_.size());
  latest_.push_back(bytes_of(digest));
  if (latest_.size() > 4096)
    latest_.pop_front();
  return node;
}

std::optional<std::uint32_t> digest_filter::find(std::string_view digest) const {
  if (slots_.empty())
    return std::nullopt;
  auto slot = slots_[slot_of(shorten(digest))];
  return slot ? std::optional{entries_[slot - 1].node} : std::nullopt;
}

std::vector<std::string> digest_filter::latest(std::size_t most) const {
  std::vector<std::string> texts;
  for (auto i = latest_.size() - std::min(most, latest_.size()); i < latest_.size(); ++i)
    texts.push_back(text_of(latest_[i]));
  return texts;
}

void digest_filter::save(image_writer& out) const {
  entries_.save(out);
  out.list(std::vector<std::array<std::uint8_t, 32>>{latest_.begin(), latest_.end()});
}

void digest_filter::load(image_reader& in) {
  entries_.load(in);
  auto latest = in.list<std::array<std::uint8_t, 32>>();
  latest_ = {latest.begin(), latest.end()};
  std::size_t slots = 64;
  while (entries_.size() * 3 > slots * 2)
    slots *= 2;
  rehash(entries_.size() ? slots : 0);
}

std::size_t digest_filter::bytes() const {
  return entries_.bytes() + slots_.capacity() * 4 + latest_.size() * 32;
}

} // namespace ke
