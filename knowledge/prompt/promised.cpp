#include "knowledge/prompt/promised.hpp"

#include "knowledge/prompt/quote.hpp"
#include "runtime/core/problem.hpp"

#include <algorithm>

namespace ke {
namespace {

std::string shape_line(const std::string& dim, const dim_promise& p) {
  auto text = "- " + dim + " is at least " + std::to_string(p.min);
  if (p.max > 0)
    text += " and at most " + std::to_string(p.max);
  if (p.multiple > 1)
    text += ", a multiple of " + std::to_string(p.multiple);
  return text + ".\n";
}

const char* form_of(const std::string& init) {
  static constexpr std::pair<const char*, const char*> forms[] = {
      {"sorted", "ascends along its last dimension"},
      {"permutation", "holds 0 to n-1 in some order along its last dimension of extent n"},
      {"offsets",
       "ascends along its last dimension from the lower bound to the upper one; segments may be empty"},
      {"indices", "holds indices"},
      {"mask", "holds zeros and ones, perhaps of one kind only"},
      {"simplex", "is not negative and sums up to 1 along its last dimension"}};
  for (auto [name, words] : forms)
    if (init == name)
      return words;
  return nullptr;
}

std::string value_line(const tensor_spec& t) {
  std::string text;
  if (auto form = form_of(t.init))
    text = form;
  else if (t.promised)
    text = "always holds what `" + t.init + "` names";
  if (t.range.size() == 2)
    text += (text.empty() ? "holds values" : ",") + std::string{" from "} + t.range[0] + " to " + t.range[1] +
            (t.init == "indices" ? " (excluded)" : "");
  if (t.any_strides)
    text += std::string{text.empty() ? "" : "; it "} +
            "may be a view that is not contiguous (transposed, every second element, a "
            "slice with an offset): no `view`, `data_ptr` or `as_strided` without asking for its strides";
  return text.empty() ? text : "- " + t.name + " " + text + ".\n";
}

/// How inputs are made, where the problem has a generator; its source is quoted, bounded.
std::string generator_text(const problem& p) {
  constexpr std::size_t most_bytes = 6000;
  return p.generator.empty()
             ? ""
             : "Inputs are what `make(key, dims)` returns, each with a secret key of its own, "
               "whose random generators were seeded by it; every input has the form that this "
               "gives it, for any key and any shape of the problem:\n" +
                   quoted(p.generator, most_bytes, "python");
}

} // namespace

bool is_form(const std::string& init) {
  return form_of(init) != nullptr;
}

std::string promised_text(const problem& p) {
  std::string shapes, values;
  for (const auto& [dim, promise] : p.promise)
    shapes += shape_line(dim, promise);
  for (const auto& r : p.relations)
    shapes += "- " + r + " holds.\n";
  for (const auto& t : p.tensors)
    if (t.role != tensor_role::out)
      values += value_line(t);
  std::string constants;
  const bool tensors = !values.empty();
  for (const auto& s : p.scalars)
    if (s.range.size() == 2)
      values += "- " + s.name + " is another number in each call, from " + exact_number(s.range[0]) + " to " +
                exact_number(s.range[1]) + ".\n";
    else
      constants += "- " + s.name + " is " + exact_number(s.value) + " in every call.\n";
  auto made = generator_text(p);
  if (shapes.empty() && values.empty() && constants.empty() && made.empty())
    return "";
  return std::string{"\n## Promised\n"} +
         (shapes.empty() && values.empty() && made.empty()
              ? ""
              : "Of shapes and values; other ones than those of the workloads are checked.\n") +
         shapes + values + constants +
         (!made.empty() ? made
          : tensors     ? "Tensors of whose values nothing is said here may hold any value of their type.\n"
                        : "");
}

} // namespace ke
