#include "runtime/core/settings.hpp"
#include "runtime/search/policy/policy.hpp"

namespace ke {

namespace {

/// Independent first versions, as many as the budget pays for; the baseline that every search must beat.
class best_of_n final : public policy {
public:
  std::optional<selection> select(const tree_index& tree, random_source&) override {
    return next_draft(tree);
  }
  void configure(const search_settings&, const tree_index&) override {}
};

} // namespace

std::unique_ptr<policy> make_best_of_n(const search_settings&) {
  return std::make_unique<best_of_n>();
}

} // namespace ke
