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

/// What lies behind one output of usual inputs, how far the reference errs on these, and how large its outputs are; per tensor.
struct kept_errors {
  std::vector<double> reductions, errors, largest;
  bool is_of(std::size_t tensors) const {
    return reductions.size() == tensors && errors.size() == tensors && largest.size() == tensors;
  }
};
KE_FIELDS(kept_errors, x.reductions, x.errors, x.largest)

/// All of a truth_source that the admission of one workload changes.
struct kept_admission {
  std::string accepted, why_not_wide;
  bool wide = false;
  std::uint64_t uses = 0;
  double reference_errors = 0, equal_terms = 0, transforms = 0;
  kept_errors usual;
};
KE_FIELDS(kept_admission, x.accepted, x.why_not_wide, x.wide, x.uses, x.reference_errors, x.equal_terms,
          x.transforms, x.usual)

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

void truth_source::note_kept(const kept_errors& kept, const bound_shapes& of) {
  known_reductions_[of.dims] = kept.reductions;
  for (std::size_t t = 0; t < task_.what.tensors.size(); ++t)
    if (const auto& spec = task_.what.tensors[t];
        wide_ && spec.role != tensor_role::in && is_floating(spec.dtype))
      known_errors_[usual][t].note(of.dims, of.elements[t], kept.errors[t], kept.reductions[t],
                                   kept.largest[t]);
}

void truth_source::keep_reductions() {
  bank_->keep(name_of_reductions(shapes_),
              pack(kept_errors{reductions_, yardstick_[usual], largest_[usual]}));
}

bool truth_source::recall_reductions() {
  auto record = bank_->find(name_of_reductions(shapes_));
  auto kept = record ? unpack<kept_errors>(*record) : result<kept_errors>{failure{}};
  if (!kept || !kept->is_of(task_.what.tensors.size()))
    return false;
  note_kept(*kept, shapes_);
  reductions_ = std::move(kept->reductions);
  yardstick_[usual] = std::move(kept->errors);
  largest_[usual] = std::move(kept->largest);
  return true;
}

void truth_source::keep_admission(const std::string& accepted) {
  kept_admission kept{accepted,
                      why_not_wide_,
                      wide_,
                      uses_[shapes_.dims],
                      allowed_.reference_errors,
                      allowed_.equal_terms,
                      allowed_.transforms,
                      {reductions_, yardstick_[usual], largest_[usual]}};
  bank_->keep(name_of_admission(shapes_), pack(kept));
}

std::optional<std::string> truth_source::recall_admission(const bound_shapes& shapes) {
  auto record = bank_->find(name_of_admission(shapes));
  auto kept = record ? unpack<kept_admission>(*record) : result<kept_admission>{failure{}};
  if (!kept || uses_.contains(shapes.dims) || !kept->usual.is_of(task_.what.tensors.size()))
    return std::nullopt;
  uses_[shapes.dims] = kept->uses;
  // Another plan may have met other workloads before.
  allowed_ = {std::min(allowed_.reference_errors, kept->reference_errors),
              std::min(allowed_.equal_terms, kept->equal_terms),
              std::min(allowed_.transforms, kept->transforms)};
  if (wide_ && !kept->wide) {
    wide_ = false;
    why_not_wide_ = std::move(kept->why_not_wide);
    truth_.reset();
  }
  note_kept(kept->usual, shapes);
  return std::move(kept->accepted);
}

} // namespace ke
