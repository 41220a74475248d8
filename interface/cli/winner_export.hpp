#pragma once

#include "interface/cli/campaign_view.hpp"
#include "interface/cli/manifest.hpp"
#include "interface/cli/winners.hpp"

#include <cstdint>
#include <string>

namespace ke::cli {

/// The drop-in folder of a winner: source, header with the signature, build script, Makefile, the whole
/// problem, verdict, provenance, README. Contains no time or path of this machine: one winner always gives
/// the same bytes. `version`: its number among the campaign's winners.
result<folder_files> export_of(const campaign_view& campaign, const node_view& node, std::size_t version);

/// The outcome of an `export best`.
struct exported {
  std::size_t version = 0;
  std::uint64_t node = 0;
  std::string folder;   ///< the written folder: the one asked for, or NAME-unclaimed
  bool claimed = false; ///< its figures were measured again for a claim
};

/// Writes the present winner, or with `previous` the one before the last export, to `dir` (`dir`-unclaimed if
/// it was not measured again for a claim), and a copy to `<store>/exports/<campaign>-<id>/<version>/`.
/// Verifies earlier exports of that version and in `dir` first: `corrupt` names a changed file, and nothing
/// is written. `not_found`: there is no such winner.
result<exported> export_winner(const campaign_view& campaign, const std::string& dir, bool previous);

} // namespace ke::cli
