#pragma once

#include "actors/cli/campaign_view.hpp"
#include "actors/cli/manifest.hpp"
#include "actors/cli/winners.hpp"

#include <cstdint>
#include <string>

namespace ke::cli {

/// The drop-in folder of a winner: source, header with the signature, build script, Makefile, the problem
/// whole, verdict, provenance, README. A function of what the store holds, without times or paths of this
/// machine: the same winner always gives the same bytes. `version`: its number among the campaign's winners.
result<folder_files> export_of(const campaign_view& campaign, const node_view& node, std::size_t version);

/// What became of an `export best`.
struct exported {
  std::size_t version = 0;
  std::uint64_t node = 0;
  std::string folder;   ///< what was written: the folder asked for, or NAME-unclaimed
  bool claimed = false; ///< its figures were measured again
};

/// Writes the present winner, or the one before the version that was exported last, to `dir` (`dir`-unclaimed
/// if it was not measured again for a claim), and keeps a copy as
/// `<store>/exports/<campaign>-<id>/<version>/`. Whatever of that version or in `dir` was exported before is
/// verified first: `corrupt` names a changed file, and nothing is written. `not_found` if there is no such
/// winner.
result<exported> export_winner(const campaign_view& campaign, const std::string& dir, bool previous);

} // namespace ke::cli
