#include "config/campaign_file.hpp"

#include "config/campaign_checks.hpp"
#include "config/override.hpp"
#include "config/problem_file.hpp"
#include "config/secret.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace ke {
namespace {

constexpr std::size_t largest_file = 1u << 20;
constexpr const char* default_store = "~/.local/share/ke-runtime";

/// Paths become absolute; names that were not given become what the manual says.
void fill_in(campaign_load& load, const file_context& context) {
  auto& s = load.settings;
  if (s.store.empty())
    s.store = default_store;
  s.store = resolved_path(s.store, context);
  if (!s.problem_path.starts_with("aten:"))
    s.problem_path = resolved_path(s.problem_path, context);
  for (auto path : {&s.cluster.key, &s.cluster.authorized_keys, &s.cluster.client_keys})
    *path = resolved_path(*path, context);
  s.goal.baseline_file = resolved_path(s.goal.baseline_file, context);
  for (std::size_t i = 0; i < s.models.size(); ++i) {
    auto& m = s.models[i];
    m.dir = resolved_path(m.dir, context);
    if (!load.places.count("model." + std::to_string(i) + ".name"))
      m.name = std::string{to_text(m.provider)};
  }
  if (s.targets.empty())
    s.targets.emplace_back();
  if (s.models.empty())
    s.models.emplace_back();
}

} // namespace

file_context context_of(const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  file_context context;
  context.name = file;
  context.folder = fs::absolute(file, ignored).parent_path().lexically_normal().string();
  if (auto home = std::getenv("HOME"))
    context.home = home;
  context.variable = [](const std::string& name) -> std::optional<std::string> {
    auto value = std::getenv(name.c_str());
    return value ? std::optional<std::string>{value} : std::nullopt;
  };
  return context;
}

std::string resolved_path(const std::string& path, const file_context& context) {
  namespace fs = std::filesystem;
  if (path.empty())
    return path;
  auto whole = fs::path{path};
  if (!context.home.empty() && (path == "~" || path.starts_with("~/")))
    whole = fs::path{context.home} / fs::path{path.substr(std::min<std::size_t>(path.size(), 2))};
  auto text = (fs::path{context.folder} / whole).lexically_normal().string();
  while (text.size() > 1 && text.back() == '/')
    text.pop_back();
  return text;
}

campaign_load parse_campaign(std::string_view text, const file_context& context,
                             const std::vector<std::string>& overrides, campaign_use use,
                             const std::vector<config_layer>& layers) {
  campaign_load load;
  auto document = parse_toml(text, context.name, load.errors);
  if (!document)
    return load;
  document->place.file = context.name;
  load.settings.budget.fruitless = usual_fruitless;
  auto keys = campaign_schema(load.settings);
  if (use != campaign_use::campaign)
    for (auto& key : keys.keys)
      key.required = false;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer)
    put_under(*document, *layer, load.errors);
  for (const auto& assignment : overrides)
    apply_override(*document, keys, assignment, load.errors);
  refuse_secrets(*document, load.errors);
  load.places = read_document(*document, keys, load.errors);
  fill_in(load, context);
  check_campaign(load, context, use);
  in_file_order(load.errors);
  return load;
}

campaign_load load_campaign(const std::string& file, const std::vector<std::string>& overrides,
                            campaign_use use) {
  auto text = read_named_file(file, largest_file);
  if (text) {
    auto context = context_of(file);
    auto alone = parse_campaign(*text, context, overrides, use);
    if (use != campaign_use::campaign)
      return alone;
    std::vector<config_error> unread;
    auto layers = layers_of(alone.settings.problem_path, context, unread);
    auto load = layers.empty() ? std::move(alone) : parse_campaign(*text, context, overrides, use, layers);
    load.errors.insert(load.errors.end(), unread.begin(), unread.end());
    return load;
  }
  campaign_load load;
  load.errors.push_back({"", 0, 0, "", text.error().text});
  return load;
}

} // namespace ke
