#include "actors/stored_campaign.hpp"

#include <set>

namespace ke {

result<campaign_row> find_campaign(const store_reader& store, const std::string& name) {
  auto all = store.campaigns();
  if (!all)
    return all.error();
  const campaign_row* newest = nullptr;
  std::set<std::string> names;
  for (const auto& c : *all) {
    names.insert(c.name);
    if (name.empty() || c.name == name)
      newest = &c;
  }
  if (name.empty() && names.size() > 1) {
    std::string list;
    for (const auto& n : names)
      list += (list.empty() ? "" : ", ") + n;
    return failure{failure_kind::invalid, "the store " + store.dir() +
                                              " holds several campaigns; name one with --campaign: " + list};
  }
  if (!newest)
    return failure{failure_kind::not_found,
                   name.empty() ? "the store " + store.dir() + " holds no campaign"
                                : "the store " + store.dir() + " holds no campaign named " + name};
  return *newest;
}

} // namespace ke
