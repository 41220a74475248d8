#pragma once

#include "interface/cli/campaign_view.hpp"

#include <cstdint>
#include <iosfwd>
#include <string>

namespace ke::cli {

enum class trajectory_split : std::uint8_t { all, train, test };
enum class trajectory_form : std::uint8_t { steps, chains };

struct trajectory_options {
  trajectory_form form = trajectory_form::steps;
  trajectory_split split = trajectory_split::all;
  std::uint64_t since = 0; ///< steps: only nodes with this id or a higher one
};

/// What was written, and where an incremental export has to continue.
struct trajectory_counts {
  std::uint64_t written = 0;    ///< lines
  std::uint64_t open = 0;       ///< nodes that have not ended yet
  std::uint64_t first_open = 0; ///< their smallest id
};

inline constexpr std::string_view step_schema = "ke-trajectory-step/1";
inline constexpr std::string_view chain_schema = "ke-trajectory-chain/1";

/// One campaign as JSON lines in the schema of docs/manual/trajectories.md. Every line has every column, in
/// one order, of one type, never null. One moment of the journal, even while the owner lives. Memory: the
/// tree's index and some 60 bytes a node; texts are read one node at a time. Fails: the store.
result<trajectory_counts> write_trajectories(const campaign_view& campaign, const trajectory_options& options,
                                             std::ostream& out);

} // namespace ke::cli
