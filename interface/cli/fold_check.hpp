#pragma once

#include "interface/cli/campaign_view.hpp"
#include "runtime/store/store_reader.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke::cli {

/// A campaign's journal, folded anew, compared with the rows and the image that its owner wrote.
struct fold_comparison {
  std::uint64_t records = 0;
  std::uint64_t nodes = 0; ///< roots left out
  std::uint64_t ended = 0;
  std::string hash;
  std::vector<std::string> tree_hashes;
  std::uint64_t difference_count = 0;
  std::vector<std::string> differences; ///< the first 50, one sentence each
};

/// Fails only if the journal can't be read or folded. Rows newer than the fold, beside a living owner, are no
/// difference.
result<fold_comparison> compare_fold(const store_reader& store, std::uint32_t campaign);

/// The hook of `check_store`: differences, or the one failure.
std::vector<std::string> fold_problems(const store_reader& store, std::uint32_t campaign);

} // namespace ke::cli
