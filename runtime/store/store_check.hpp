#pragma once

#include "runtime/core/result.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ke {

class store_reader;

/// Walks the whole store: tree pages, free list, every checksum, presence of every blob file. For a process
/// of its own: a damaged file can abort or fault it, and the parent takes that for `corrupt`. Takes no lock,
/// writes nothing.
status verify_store(const std::string& dir);

struct check_report {
  std::map<std::string, std::uint64_t> rows; ///< by table
  std::uint64_t problem_count = 0;
  std::vector<std::string> problems; ///< the first 200, one sentence each
  bool sound() const { return problem_count == 0; }
};

struct check_options {
  std::function<status(const std::string& dir)> verify; ///< as in store_options
  /// Folds a campaign's journal, compares it with the rows, and returns the problems. Once per campaign.
  std::function<std::vector<std::string>(const store_reader&, std::uint32_t campaign)> fold;
};

/// Checks what needs no search: checksums of all rows; referenced blobs exist and match their digest;
/// journals have no gap; `hot` equals `nodes`; every verdict
/// named by a node is there and, if the campaign keeps evidence, that too. Works beside a living owner. Fails
/// only if the store can't be opened.
result<check_report> check_store(const std::string& dir, const check_options& options = {});

struct compact_report {
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;   ///< data file and blob files
  std::uint64_t files_removed = 0; ///< blob files that no row names
};

/// Rewrites the data file without free pages and replaces it atomically; removes orphaned blob files. Needs
/// the ownership: `held` while an owner lives. Open readers keep their snapshot.
result<compact_report> compact_store(const std::string& dir,
                                     const std::function<status(const std::string&)>& verify = {});

} // namespace ke
