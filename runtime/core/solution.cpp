#include "runtime/core/solution.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/problem.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>

namespace ke {
namespace {

constexpr std::size_t longest_part = 64; ///< of a key: LMDB's may have 511 bytes
constexpr double missing_dimension = 4;

/// A part of a key: no separator, nothing that can't be printed.
std::string part(std::string_view text) {
  std::string out{text.substr(0, longest_part)};
  for (auto& c : out)
    if (c == '/' || static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7f)
      c = '_';
  return out.empty() ? "-" : out;
}

std::string bucket_of(const std::vector<double>& log2_dims) {
  std::string text;
  for (auto x : log2_dims)
    text += (text.empty() ? "" : ".") + std::to_string(std::lround(x));
  return part(text);
}

double sum_of(const std::vector<double>& all) {
  return std::accumulate(all.begin(), all.end(), 0.0);
}

} // namespace

std::string operator_of(const problem& what) {
  auto name = what.family.empty() ? what.name : what.family;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

solution_place place_of(const problem& what, const std::string& backend, const std::string& device) {
  solution_place p;
  p.family = operator_of(what);
  p.backend = backend;
  p.device = device;
  p.dims = what.dims;
  const tensor_spec* first = what.tensors.empty() ? nullptr : &what.tensors.front();
  for (const auto& t : what.tensors)
    if (t.role != tensor_role::out) {
      first = &t;
      break;
    }
  if (first)
    p.dtype = to_text(first->dtype);
  for (const auto& dim : what.dims) {
    double logs = 0, weights = 0;
    for (const auto& w : what.workloads)
      if (auto size = w.dims.find(dim); !w.held_out && size != w.dims.end() && size->second > 0) {
        logs += w.weight * std::log2(static_cast<double>(size->second));
        weights += w.weight;
      }
    p.log2_dims.push_back(weights > 0 ? logs / weights : 0);
  }
  return p;
}

std::string key_of(const solution_row& r) {
  auto origin = digest_of_parts({r.store, pack(r.node), pack(r.target)});
  return solution_prefix(r.place.family) + part(r.place.dtype) + "/" + bucket_of(r.place.log2_dims) + "/" +
         part(r.place.backend) + "/" + part(r.place.device) + "/" + origin;
}

std::string solution_prefix(std::string_view family) {
  return part(family) + "/";
}

bool is_proven(const solution_row& r) {
  return r.claimed && (!r.timed || r.score > 0);
}

std::optional<double> score_over_reference(const solution_row& row, const std::vector<solution_row>& rows) {
  double score = row.score;
  const auto* at = &row;
  for (std::size_t links = 0; !at->baseline_digest.empty(); ++links) {
    const solution_row* next = nullptr;
    for (const auto& r : rows)
      if (r.source_digest == at->baseline_digest && r.place.device == row.place.device && is_proven(r) &&
          r.baseline_digest != r.source_digest && (!next || r.measured_unix_ms < next->measured_unix_ms))
        next = &r; // the first time that it was proven, which is before it was a baseline
    if (!next || links == rows.size())
      return std::nullopt;
    score *= next->score;
    at = next;
  }
  return score;
}

const solution_row& newer_of(const solution_row& a, const solution_row& b) {
  auto order = [](const solution_row& r) { return std::tuple{r.measured_unix_ms, r.claimed, pack(r)}; };
  return order(a) < order(b) ? b : a;
}

solution_distance distance(const solution_place& a, const solution_place& b) {
  solution_distance d;
  d.other_family = a.family != b.family;
  d.other_dtype = a.dtype != b.dtype;
  auto same_device = a.device == b.device || a.device.empty() || b.device.empty();
  d.target = a.backend != b.backend ? 2 : same_device ? 0 : 1;
  auto n = a.log2_dims.size(), m = b.log2_dims.size();
  if (n == m) {
    for (std::size_t i = 0; i < n; ++i)
      d.shape += std::abs(a.log2_dims[i] - b.log2_dims[i]) / static_cast<double>(n);
  } else {
    d.shape = std::abs(sum_of(a.log2_dims) - sum_of(b.log2_dims)) / static_cast<double>(std::max(n, m)) +
              missing_dimension * static_cast<double>(std::max(n, m) - std::min(n, m));
  }
  return d;
}

std::vector<near_solution> nearest_solutions(const std::vector<solution_row>& rows,
                                             const solution_place& query, std::size_t k) {
  struct candidate {
    solution_distance far;
    const solution_row* row;
    std::optional<double> score; ///< over the reference
  };
  std::vector<candidate> all;
  for (const auto& r : rows)
    if (!r.timed || r.score > 0)
      all.push_back({distance(r.place, query), &r, score_over_reference(r, rows)});
  std::sort(all.begin(), all.end(), [](const candidate& a, const candidate& b) {
    auto order = [](const candidate& c) {
      return std::tuple{c.far.other_family,
                        c.far.other_dtype,
                        c.far.target,
                        c.far.shape,
                        !c.row->claimed,
                        !c.score,
                        -c.score.value_or(c.row->score)};
    };
    auto x = order(a), y = order(b);
    return x != y ? x < y : key_of(*a.row) < key_of(*b.row);
  });
  std::vector<near_solution> nearest;
  std::set<std::string> sources;
  for (const auto& c : all) {
    if (nearest.size() == k)
      break;
    if (sources.insert(c.row->source_digest).second)
      nearest.push_back({*c.row, c.far});
  }
  return nearest;
}

} // namespace ke
