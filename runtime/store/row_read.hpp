#pragma once

#include "runtime/core/result.hpp"
#include "runtime/store/environment.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ke {

/// The body of a row, checksum verified.
/// `not_found` or `corrupt`.
result<std::string> read_row(transaction& txn, table where, std::string_view key, const std::string& dir);

/// Rows with the prefix from `first` on, at most `limit`.
result<std::vector<std::pair<std::string, std::string>>> read_rows(transaction& txn, table where,
                                                                   std::string_view prefix,
                                                                   std::string_view first, std::size_t limit,
                                                                   const std::string& dir);

/// A blob's content, from a row or a file; the digest is verified.
result<std::string> read_blob(transaction& txn, std::string_view digest, const std::string& dir);

} // namespace ke
