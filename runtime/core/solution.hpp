#pragma once

#include "runtime/core/types.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// What a problem computes, as coarsely as its file says it: the family in lower case, else the name.
std::string operator_of(const problem& what);

/// What a solution is looked up by. Shapes count by their order of magnitude: log2 of each dimension, the
/// weighted geometric mean over the workloads that are not held out.
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

/// Row of table `solutions`: a kernel that was found right, and faster where time counts. Every campaign
/// leaves one for each best that it found, and one for each claim. Written by its own store only; a merge
/// carries it on as it is.
struct solution_row {
  solution_place place;
  std::string problem; ///< name
  std::string problem_digest;
  std::string source_digest;  ///< blob
  std::string verdict_digest; ///< key in `verdicts`
  bool timed = true;
  bool claimed =
      false;        ///< measured again for a claim; false: the search's own measurement, chosen for its luck
  double score = 0; ///< lower bound; 0: not confirmed, or not timed
  double speedup = 0, low = 0, high = 0;
  std::string bottleneck;
  std::string store; ///< origin: store id, campaign, node, target
  std::string campaign;
  node_key node;
  std::uint32_t target = 0;
  std::uint64_t measured_unix_ms = 0;
  std::string program;
  std::string baseline;        ///< name of what the speedup is over; empty: the reference
  std::string baseline_digest; ///< of its source; empty: the reference's
};
KE_FIELDS(solution_row, x.place, x.problem, x.problem_digest, x.source_digest, x.verdict_digest, x.timed,
          x.claimed, x.score, x.speedup, x.low, x.high, x.bottleneck, x.store, x.campaign, x.node, x.target,
          x.measured_unix_ms, x.program, x.baseline, x.baseline_digest)
KE_OPTIONAL_TAIL(solution_row, 2)

/// Measured again for a claim, which confirmed it.
bool is_proven(const solution_row& row);

/// Its score over the reference: where it was compared with another solution among `rows` of its device, that
/// one's times its own. Empty: nothing among them tells what the other one was worth. Pure.
std::optional<double> score_over_reference(const solution_row& row, const std::vector<solution_row>& rows);

/// FAMILY/DTYPE/SHAPE BUCKET/BACKEND/DEVICE/digest of the origin: one row per node and target.
std::string key_of(const solution_row& row);
/// Of all keys of a family.
std::string solution_prefix(std::string_view family);

/// Of two rows under one key the later measurement counts; the same one whichever comes first.
const solution_row& newer_of(const solution_row& a, const solution_row& b);

/// How far a solution is from what is looked for. Compared from left to right.
struct solution_distance {
  bool other_family = false, other_dtype = false;
  std::uint32_t target = 0; ///< 0 the same device, 1 another one of the same backend, 2 another backend
  double shape = 0;         ///< mean difference of log2 of the dimensions; of another number of dimensions:
                            ///< of the product, and 4 for each that is missing
};
solution_distance distance(const solution_place& a, const solution_place& b);

struct near_solution {
  solution_row row;
  solution_distance distance;
};
/// The `k` nearest; of equal ones confirmed claims first, then the higher score over the reference, then
/// those whose score is over something that `rows` do not know. Rows that a claim has refuted are left out,
/// of rows with one source all but the nearest. Pure.
std::vector<near_solution> nearest_solutions(const std::vector<solution_row>& rows,
                                             const solution_place& query, std::size_t k);

} // namespace ke
