#pragma once

#include "runtime/core/result.hpp"
#include "runtime/store/data_file.hpp"
#include "runtime/store/owner_lock.hpp"
#include "runtime/store/record.hpp"

#include <functional>
#include <optional>
#include <string>

/// What an owner and a reader do before LMDB may touch a store directory (store.md "Opening").
namespace ke::opening {

/// The absolute path without links, dots or a trailing slash: the key of the environment registry.
/// `not_found` if it does not exist.
result<std::string> canonical(const std::string& dir);

/// Refuses network file systems, where LMDB's locks and maps don't work.
status check_file_system(const std::string& dir);

/// The file STORE; nothing if there is none. `corrupt` if it is not one.
result<std::optional<store_identity>> read_identity(const std::string& dir);
status write_identity(const std::string& dir, const store_identity& identity);

/// `newer_version`, naming both schemas, if this program does not know it.
status check_schema(const std::string& dir, const store_identity& identity,
                    std::uint32_t known = store_schema);

struct findings {
  std::optional<store_identity> identity; ///< of the file STORE
  data_file_facts data;
  bool fresh = false;     ///< there is no store yet
  bool untouched = false; ///< closed cleanly, and the data file matches the closing record
};

/// Reads STORE, the head of the data file and the closing record. Fails: `corrupt`, `newer_version`,
/// `invalid`. A live owner's file may be ahead of its record, and short for a moment: `owned` skips these
/// checks.
result<findings> inspect(const std::string& dir, bool owned, std::uint32_t known = store_schema);

/// Runs the verification if one is due; a failure becomes one clear sentence.
status verify_if_due(const std::string& dir, const findings& found,
                     const std::function<status(const std::string&)>& verify);

/// Compares row `identity` of `meta` with STORE.
status check_identity(const std::string& dir, const std::optional<store_identity>& file,
                      const store_identity& row, std::uint32_t known = store_schema);

/// One sentence: what is damaged and what to do.
failure damaged(const std::string& dir, const std::string& what);

} // namespace ke::opening
