#pragma once

#include "backends/evaluation/backend.hpp"
#include "backends/evaluation/evaluate.hpp"
#include "runtime/core/fields.hpp"
#include "runtime/core/result.hpp"
#include "runtime/process/process_port.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke {

struct problem;

/// One wrong answer tried on one output of a problem: `fake` is its short name, `of` the input it is made
/// from.
struct lint_fake {
  std::string tensor, fake, of;
  std::int64_t cases = 0;
  bool rejected = false;
};
KE_FIELDS(lint_fake, x.tensor, x.fake, x.of, x.cases, x.rejected)

/// The tolerance of one output on one workload, for inputs drawn as the problem says.
struct lint_tolerance {
  std::string tensor, dtype, workload;
  std::string rule;     ///< exact | bitwise | own | scaled | default (no truth in wider arithmetic)
  double reduction = 1; ///< inputs behind one output element, as measured
  double relative = 0;  ///< of the right value
  double absolute = 0;  ///< scaled: 32 (less if the check needs it) times the reference's own largest error
  double reference_error = 0; ///< scaled: that error
  std::string scale;          ///< reference of `relative`: this "element", or the largest of its "tensor"
};
KE_FIELDS(lint_tolerance, x.tensor, x.dtype, x.workload, x.rule, x.reduction, x.relative, x.absolute,
          x.reference_error, x.scale)

/// How much of the outputs is held to the truth at one kind of edge.
struct lint_edge {
  std::string name;      ///< of the inputs ("nan") or of the shape ("M = 0")
  bool survives = false; ///< the reference survives it, so candidates must
  std::int64_t elements = 0, checked = 0;
};
KE_FIELDS(lint_edge, x.name, x.survives, x.elements, x.checked)

struct lint_cost {
  std::string workload;
  double flops = 0, bytes = 0;
  double tensor_bytes = 0; ///< size of all tensors
};
KE_FIELDS(lint_cost, x.workload, x.flops, x.bytes, x.tensor_bytes)

/// The report of `problem lint`. No reasons: fit. Warnings are for a person to judge.
struct lint_report {
  std::vector<std::string> reasons, warnings;
  std::vector<lint_fake> fakes;
  std::vector<lint_tolerance> tolerances;
  std::vector<lint_edge> edges;
  std::vector<lint_cost> costs;
  std::int64_t secret_shapes = 0;
  std::vector<std::string> still_dims; ///< symbols unchanged in secret shapes
  /// Assumptions on shapes that the problem does not state: "N is a multiple of M".
  std::vector<std::string> assumed;
  bool deterministic = true; ///< the reference gives the same twice, to the bit
  std::string truth;         ///< what results are compared with
  std::string broken;        ///< why this machine could not tell; empty: it could
};
KE_FIELDS(lint_report, x.reasons, x.warnings, x.fakes, x.tolerances, x.edges, x.costs, x.secret_shapes,
          x.still_dims, x.assumed, x.deterministic, x.truth, x.broken)

/// Builds the reference and asks ke-judge, without a candidate, what the problem's own check is worth.
/// Blocks. A failure: this machine cannot tell.
result<lint_report> lint_problem(const problem& what, const backend& with, const evaluate_options& options,
                                 process_port& processes);

/// Adds the formulas of [cost] on every workload, and their oddities, to the report. Pure.
void lint_costs(const problem& what, lint_report& into);

/// One JSON document on one line.
std::string lint_json(const problem& what, const lint_report& report);

} // namespace ke
