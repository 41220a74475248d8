#pragma once

#include "runtime/core/node_key.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

struct problem;

/// What a problem computes, coarsely: the family in lower case, else the name.
std::string operator_of(const problem& what);

/// The search key of a solution. Shapes count by order of magnitude: per dimension the log2 of the geometric
/// mean, weighted over the workloads that are not held out.
struct solution_place {
  std::string family;            ///< operator_of
  std::string dtype;             ///< of the first input
  std::string backend;           ///< whose language the source is in
  std::string device;            ///< as its worker announced it; empty in a query: any
  std::vector<std::string> dims; ///< the problem's symbols, in order
  std::vector<double> log2_dims; ///< of each
};
KE_FIELDS(solution_place, x.family, x.dtype, x.backend, x.device, x.dims, x.log2_dims)
solution_place place_of(const problem& what, const std::string& backend, const std::string& device);

/// Row of table `solutions`: a kernel found right, and faster if timed. A campaign leaves one for each best
/// and one for each claim. Only the store of origin writes a row; a merge carries it on unchanged.
struct solution_row {
  solution_place place;
  std::string problem; ///< name
  std::string problem_digest;
  std::string source_digest;  ///< blob
  std::string verdict_digest; ///< key in `verdicts`
  bool timed = true;
  /// Measured again for a claim; false: the search's own measurement, chosen for its luck.
  bool claimed = false;
  double score = 0; ///< lower bound; 0: not confirmed, or not timed
  double speedup = 0, low = 0, high = 0;
  std::string bottleneck;
  std::string store; ///< origin: store id, campaign, node, target
  std::string campaign;
  node_key node;
  std::uint32_t target = 0;
  std::uint64_t measured_unix_ms = 0;
  std::string program;
  std::string baseline;        ///< what the speedup is over, by name; empty: the reference
  std::string baseline_digest; ///< of its source; empty: the reference's
};
KE_FIELDS(solution_row, x.place, x.problem, x.problem_digest, x.source_digest, x.verdict_digest, x.timed,
          x.claimed, x.score, x.speedup, x.low, x.high, x.bottleneck, x.store, x.campaign, x.node, x.target,
          x.measured_unix_ms, x.program, x.baseline, x.baseline_digest)
KE_OPTIONAL_TAIL(solution_row, 2)

/// Whether a claim's new measurement confirmed it.
bool is_proven(const solution_row& row);

/// The score over the reference. If it was compared with another solution, that one's score (among `rows`, of
/// the same device) times its own. Empty: `rows` do not tell the other's worth. Pure.
std::optional<double> score_over_reference(const solution_row& row, const std::vector<solution_row>& rows);

/// FAMILY/DTYPE/SHAPE BUCKET/BACKEND/DEVICE/digest of the origin: one row per node and target.
std::string key_of(const solution_row& row);
/// Of all keys of a family.
std::string solution_prefix(std::string_view family);

/// Of two rows under one key the one measured later counts, in whatever order they come.
const solution_row& newer_of(const solution_row& a, const solution_row& b);

/// How far a solution is from what is looked for. Compared from left to right.
struct solution_distance {
  bool other_family = false, other_dtype = false;
  std::uint32_t target = 0; ///< 0 the same device, 1 another one of the same backend, 2 another backend
  /// Mean difference of log2 of the dimensions. Of unlike numbers of dimensions: difference of the log2 of
  /// the products, and 4 for each missing one.
  double shape = 0;
};
solution_distance distance(const solution_place& a, const solution_place& b);

struct near_solution {
  solution_row row;
  solution_distance distance;
};
/// The `k` nearest. Ties: confirmed claims first, then the higher score over the reference, then those
/// without a known one. Leaves out rows refuted by a claim, and all but the nearest of rows with one source.
/// Pure.
std::vector<near_solution> nearest_solutions(const std::vector<solution_row>& rows,
                                             const solution_place& query, std::size_t k);

} // namespace ke
