#pragma once

#include "runtime/core/call_row.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/solution.hpp"
#include "runtime/store/export_file.hpp"
#include "runtime/store/store_port.hpp"
#include "runtime/store/store_reader.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ke {

/// A row without an origin in it: of `verdicts` or `skills`.
struct shared_row {
  std::string key;
  std::string value; ///< as in its table
};
KE_FIELDS(shared_row, x.key, x.value)

/// A paid call with its origin; reply, prompt sections and problem are blobs.
struct shared_call {
  std::string store; ///< id
  std::string campaign;
  node_key node;
  std::uint32_t attempt = 0;
  call_row call;
  std::string sections_digest;
  std::string problem_digest;
};
KE_FIELDS(shared_call, x.store, x.campaign, x.node, x.attempt, x.call, x.sections_digest, x.problem_digest)

struct export_options {
  std::string campaign; ///< by name; empty: all
  std::uint64_t unix_ms = 0;
  std::string program;
};

/// Writes a store's solutions, verdicts, skills and calls to one file, with the blobs they name: those of all
/// its campaigns or of one, and all merged ones. Works beside a living owner; leaves out calls of open nodes.
/// Fails: `not_found` (no such campaign), of the store, of the file.
result<export_summary> export_store(const store_reader& store, const std::string& path,
                                    const export_options& options);

struct merge_report {
  export_header from;
  std::uint64_t records = 0;                  ///< in the file, blobs apart
  std::map<std::string, std::uint64_t> added; ///< by kind; rows that were new, or newer than the store's
};

/// Joins two rows of `skills` under one key; must not depend on their order. The store does not know their
/// content.
using skill_join = std::function<std::string(const std::string& a, const std::string& b)>;

/// Unites an export with a store. Reads the whole file first, so a damaged one changes nothing.
/// Content-addressed and conflict-free: equal records are one, in any order; of two versions of a row the
/// later one stays. Merging a file again, or a store's own, adds nothing. Blocks until all is committed.
/// `view` reads the store that `to` writes. Not on the store's thread. Without `join` the greater of two rows
/// of `skills` stays.
result<merge_report> merge_into(const store_reader& view, store_port& to, const std::string& path,
                                const skill_join& join = {});

/// Solutions of a family, own and merged ones; empty: of all families.
result<std::vector<solution_row>> read_solutions(const store_reader& store, const std::string& family = {});

/// The exports merged into a store, oldest export first.
result<std::vector<export_origin>> merged_exports(const store_reader& store);

} // namespace ke
