#pragma once

#include "runtime/core/journal_record.hpp"
#include "runtime/core/names.hpp"
#include "runtime/core/result.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ke {

/// The sub-databases of store.md.
enum class table : std::uint8_t {
  meta,
  hot,
  campaigns,
  nodes,
  blobs,
  digests,
  calls,
  evidence,
  verdicts,
  skills,
  journal,
  solutions,
  shared
};
KE_NAMES(table, 13, "meta", "hot", "campaigns", "nodes", "blobs", "digests", "calls", "evidence", "verdicts",
         "skills", "journal", "solutions", "shared")

/// Tables of older schemas: a migration drops them.
inline constexpr std::array<std::string_view, 3> retired_tables{"children", "jobs", "fleet"};

/// Big-endian, so that scans are in order.
std::string key_of(std::uint32_t campaign);
std::string key_of(std::uint32_t campaign, std::uint32_t tree, std::uint32_t node);
std::string key_of(std::uint32_t campaign, std::uint32_t tree, std::uint32_t node, std::uint32_t last);
std::string journal_key(std::uint32_t campaign, std::uint64_t sequence);

/// One atomic group of writes; applied in order, all or nothing. Build it with these functions, then move it
/// into `store_port::write`.
struct store_batch {
  struct put_row {
    table where;
    std::string key;
    std::string value; ///< pack() of the row; the store adds record version and checksum
  };
  struct erase_row {
    table where;
    std::string key;
  };
  std::vector<put_row> puts;
  std::vector<erase_row> erases;
  /// (digest, bytes); digests already stored are skipped.
  std::vector<std::pair<std::string, std::string>> blobs;
  /// (campaign, record); sequence numbers are given in order of arrival.
  std::vector<std::pair<std::uint32_t, journal_record>> journal;

  void put(table where, std::string key, std::string value) {
    puts.push_back({where, std::move(key), std::move(value)});
  }
  /// Adds the bytes as a blob and returns their digest.
  std::string blob(std::string bytes);
};

/// The thread that owns LMDB. Functions do not block; any thread. Batches commit in the order of `write`,
/// many in one transaction (group commit, full sync). Callbacks run on the store thread and must not block.
class store_port {
public:
  virtual ~store_port() = default;
  /// Calls `done` after the commit of the batch (ok), or with why it can never be committed. A full disk is
  /// waited out: the batch stays queued, and `on_trouble` (set at opening) hears `disk_full`, then `none`
  /// when space is back. Without `done` nobody waits: the batch goes along with the next that somebody waits
  /// for, or is written some milliseconds later.
  virtual void write(store_batch batch, std::function<void(status)> done = {}) = 0;
  /// Reads see every batch written before them. not_found / corrupt as failures.
  virtual void read(table where, std::string key, std::function<void(result<std::string>)> done) = 0;
  virtual void read_blob(std::string digest, std::function<void(result<std::string>)> done) = 0;
  /// Rows from `first` (inclusive) with the prefix, at most `limit`, in key order; short read transactions.
  virtual void scan(table where, std::string prefix, std::string first, std::size_t limit,
                    std::function<void(result<std::vector<std::pair<std::string, std::string>>>)> done) = 0;
};

} // namespace ke
