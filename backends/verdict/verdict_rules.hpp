#pragma once

#include "runtime/core/evidence.hpp"
#include "runtime/core/job_limits.hpp"
#include "runtime/core/verdict.hpp"

#include <string>

namespace ke {

struct problem;

/// The only place that derives a state from evidence (trust.md 3). Pure: the coordinator's result counts, and
/// can be derived again from the stored evidence at any time. `backend`, `problem` and `candidate` come from
/// the provenance of these names.
verdict verdict_of(const evidence& found, const problem& what, measure_plan plan);

/// What candidates were compared with: "reference", or another baseline's name.
std::string compared_with(const verdict& v);

/// product.md "Verdict", on one line.
std::string verdict_json(const verdict& v);

} // namespace ke
