#pragma once

#include "runtime/store/environment.hpp"
#include "runtime/store/store_port.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace ke {

/// Where the next records go. A value: the writer works on a copy and keeps it only if the transaction
/// committed.
struct store_positions {
  std::uint64_t blob = 0;                         ///< next sequence of `blobs`
  std::map<std::uint32_t, std::uint64_t> journal; ///< next sequence by campaign, loaded at its first record
  std::array<std::string, table_count> last;      ///< greatest key of each table: greater ones are appended

  int load(transaction& txn);
};

/// Why a batch can never be stored (a key out of bounds, a malformed digest): a sentence, or empty.
std::string fault_in(const store_batch& batch);

/// Approximate bytes, for the bound of a group.
std::size_t size_of(const store_batch& batch);

/// Writes a batch: erasures, blobs, rows, journal. Blob files are durable on return. Error number; if not 0,
/// the transaction must not be committed.
int apply(const store_batch& batch, transaction& txn, store_positions& next, const std::string& dir);

} // namespace ke
