#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/core/result.hpp"
#include "runtime/store/store_port.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace ke {

/// The schema written, and the newest read, by this program (store.md).
inline constexpr std::uint32_t store_schema = 2;

/// The identity of a store: row `identity` of `meta`, and the file STORE.
struct store_identity {
  std::string id; ///< 32 random hexadecimal digits
  std::uint32_t schema = store_schema;
  std::uint64_t created_unix_ms = 0;
  std::string program; ///< version that created it
};
KE_FIELDS(store_identity, x.id, x.schema, x.created_unix_ms, x.program)

/// Row of `digests`: where a blob's bytes are.
struct blob_place {
  std::uint64_t sequence = 0; ///< key in `blobs`, unless `file`
  std::uint64_t size = 0;     ///< of the content
  std::uint64_t stored = 0;   ///< compressed
  bool file = false;          ///< in blobs/, named by digest
};
KE_FIELDS(blob_place, x.sequence, x.size, x.stored, x.file)

/// Adds record version and checksum.
std::string seal(table where, std::string_view key, std::string_view body);

/// The body of a sealed row, a view into it. `corrupt`, naming table and key: wrong version or checksum.
result<std::string_view> unseal(table where, std::string_view key, std::string_view row);

/// Key of `blobs`.
std::string sequence_key(std::uint64_t sequence);
/// Big-endian bytes back to a number; reads up to 8 bytes.
std::uint64_t number_of(std::string_view big_endian);

/// 64 hexadecimal digits to 32 bytes, the key of `digests`; empty for any other text.
std::string digest_key(std::string_view digest);
std::string digest_text(std::string_view key);

/// Printable: printable texts as they are, other keys in hexadecimal.
std::string shown_key(std::string_view key);

} // namespace ke
