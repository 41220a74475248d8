#include "runtime/search/index/digest_filter.hpp"

#include "runtime/core/digest.hpp"
#include "runtime/core/hex.hpp"

#include <algorithm>
#include <cstring>

namespace ke {

namespace {

using digest_bytes = std::array<std::uint8_t, 32>;

/// Those of a digest; of any other text, those of its digest.
digest_bytes bytes_of(std::string_view digest) {
  auto bytes = from_hex(digest);
  if (!bytes || bytes->size() != std::tuple_size_v<digest_bytes>)
    bytes = from_hex(digest_of(digest));
  digest_bytes out{};
  std::copy_n(bytes->begin(), out.size(), out.begin());
  return out;
}

std::string text_of(const digest_bytes& bytes) {
  return to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
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
