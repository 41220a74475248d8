// What the admission of a workload found out, and what lies behind one output, kept for the judgements that follow with the
// same bank: they draw the same inputs, so they would find the same.
#include "backends/judge/truth.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/fields.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ke {

/// All of a truth_source that the admission of one workload changes.
struct kept_admission {
  std::string accepted;
  bool wide = false;
  std::uint64_t uses = 0;
  double reference_errors = 0, equal_terms = 0, transforms = 0;
  std::vector<double> reductions, errors, largest; ///< per tensor
};
KE_FIELDS(kept_admission, x.accepted, x.wide, x.uses, x.reference_errors, x.equal_terms, x.transforms,
          x.reductions, x.errors, x.largest)

namespace {

std::string name_of_admission(const bound_shapes& shapes) {
  auto extents = dims_text(shapes.dims);
  return content_name(std::vector<std::string_view>{"admission", shapes.name, extents});
}

std::string name_of_reductions(const bound_shapes& shapes) {
  auto extents = dims_text(shapes.dims);
  return content_name(std::vector<std::string_view>{"reductions", extents});
}

constexpr auto usual = static_cast<std::size_t>(distribution::init);

} // namespace

void truth_source::keep_reductions() {
  bank_->keep(name_of_reductions(shapes_),
              pack(std::vector{reductions_, yardstick_[usual], largest_[usual]}));
}

bool truth_source::recall_reductions() {
  const auto tensors = task_.what.tensors.size();
  auto record = bank_->find(name_of_reductions(shapes_));
  auto kept = record ? unpack<std::vector<std::vector<double>>>(*record)
                     : result<std::vector<std::vector<double>>>{failure{}};
  if (!kept || kept->size() != 3 ||
      std::any_of(kept->begin(), kept->end(), [&](const auto& of) { return of.size() != tensors; }))
    return false;
  known_reductions_[shapes_.dims] = reductions_ = (*kept)[0];
  yardstick_[usual] = (*kept)[1];
  largest_[usual] = (*kept)[2];
  for (std::size_t t = 0; t < tensors; ++t)
    if (largest_[usual][t] > 0)
      known_errors_[usual][t].note(shapes_.dims, shapes_.elements[t], yardstick_[usual][t], reductions_[t],
                                   largest_[usual][t]);
  return true;
}

void truth_source::keep_admission(const std::string& accepted) {
  kept_admission kept{accepted,
                      wide_,
                      uses_[shapes_.dims],
                      allowed_.reference_errors,
                      allowed_.equal_terms,
                      allowed_.transforms,
                      reductions_,
                      yardstick_[usual],
                      largest_[usual]};
  bank_->keep(name_of_admission(shapes_), pack(kept));
}

std::optional<std::string> truth_source::recall_admission(const bound_shapes& shapes) {
  const auto tensors = task_.what.tensors.size();
  auto record = bank_->find(name_of_admission(shapes));
  auto kept = record ? unpack<kept_admission>(*record) : result<kept_admission>{failure{}};
  if (!kept || uses_.contains(shapes.dims) || kept->reductions.size() != tensors ||
      kept->errors.size() != tensors || kept->largest.size() != tensors)
    return std::nullopt;
  uses_[shapes.dims] = kept->uses;
  // Another plan may have met other workloads before.
  allowed_ = {std::min(allowed_.reference_errors, kept->reference_errors),
              std::min(allowed_.equal_terms, kept->equal_terms),
              std::min(allowed_.transforms, kept->transforms)};
  if (wide_ && !kept->wide) {
    wide_ = false;
    truth_.reset();
  }
  known_reductions_[shapes.dims] = kept->reductions;
  for (std::size_t t = 0; t < tensors; ++t)
    if (const auto& spec = task_.what.tensors[t];
        wide_ && spec.role != tensor_role::in && is_floating(spec.dtype))
      known_errors_[usual][t].note(shapes.dims, shapes.elements[t], kept->errors[t], kept->reductions[t],
                                   kept->largest[t]);
  return std::move(kept->accepted);
}

} // namespace ke
