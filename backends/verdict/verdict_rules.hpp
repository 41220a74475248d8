#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace ke {

enum class measure_plan : std::uint8_t;
struct evidence;
struct problem;
struct verdict;

/// The only place that derives a state from evidence (trust.md 3). Pure: the coordinator's result counts, and
/// can be derived again from the stored evidence at any time. `backend`, `problem` and `candidate` come from
/// the provenance of these names.
verdict verdict_of(const evidence& found, const problem& what, measure_plan plan);

/// What candidates were compared with: "reference", or another baseline's name.
std::string compared_with(const verdict& v);

/// product.md "Verdict", on one line. `counters`: of its evidence, for what was counted in compiled code
/// (`metrics`).
std::string verdict_json(const verdict& v, const std::map<std::string, double>& counters = {});

} // namespace ke
