#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/core/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace ke {

/// What an image of a campaign's folded journal belongs to. An image is a cache (store.md, "Images"): if any
/// of this is not as expected, the reader folds the whole journal instead.
struct image_header {
  std::string store;   ///< id of the store
  std::string program; ///< version of the program that wrote it
  std::string layout;  ///< of the bytes, by their maker
  std::uint32_t campaign = 0;
  std::uint64_t records = 0;    ///< of the journal in the image, counted from the first; at least 1
  std::uint64_t wall_ms = 0;    ///< of the last of them
  std::string last_record;      ///< digest_of(pack(journal_record)) of the last of them
  std::uint64_t body_bytes = 0; ///< filled by write_image
  std::string body_digest;      ///< filled by write_image
};
KE_FIELDS(image_header, x.store, x.program, x.layout, x.campaign, x.records, x.wall_ms, x.last_record,
          x.body_bytes, x.body_digest)

struct image_file {
  image_header header;
  std::string body;
};

/// images/<campaign> under the store.
std::string image_path(const std::string& dir, std::uint32_t campaign);

/// Replaces the campaign's image, durably and atomically. Call it only after the commit of the image's last
/// record. Blocking.
status write_image(const std::string& dir, image_header header, std::string_view body);

/// not_found: there is none. corrupt: its bytes fail their digest. Blocking.
result<image_file> read_image(const std::string& dir, std::uint32_t campaign);

} // namespace ke
