#include "interface/cli/node_evidence.hpp"

#include "interface/cli/campaign_view.hpp"
#include "runtime/core/evidence.hpp"

#include <algorithm>
#include <string_view>

namespace ke::cli {

void each_evidence(const campaign_view& c, const node_view& n,
                   const std::function<void(std::uint32_t, measured_for, const evidence&)>& visit) {
  auto one = [&](std::string_view key, const evidence& e) {
    std::uint32_t target = 0;
    for (auto i = std::size_t{12}; i < std::min<std::size_t>(16, key.size()); ++i)
      target = target << 8 | static_cast<unsigned char>(key[i]);
    auto what = target >= evidence_of_validations ? measured_for::second_device
                : target >= evidence_of_claims    ? measured_for::claim
                                                  : measured_for::search;
    visit(target % evidence_of_claims, what, e);
    return true;
  };
  static_cast<void>(
      c.store().rows<evidence>(table::evidence, key_of(n.key.campaign, n.key.tree, n.key.node), one));
}

} // namespace ke::cli
