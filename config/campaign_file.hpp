#pragma once

#include "config/file_context.hpp"
#include "config/layers.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/toml/config_error.hpp"
#include "runtime/toml/schema.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// `serve` needs no [problem] and no model: it reads `store` and `[cluster]`; a `suite` brings its problems along.
/// Everything else must still be right.
enum class campaign_use { campaign, serve, suite };

/// The value of `[budget] fruitless` in a file without it. `budget_settings` has another default: journals of
/// earlier versions fold without this rule.
inline constexpr std::int64_t usual_fruitless = 8;

/// `settings` is complete if `errors` is empty.
struct campaign_load {
  campaign_settings settings;
  std::vector<config_error> errors; ///< exit code 2
  /// The environment lacks something, e.g. an API key's variable: exit code 3.
  std::vector<config_error> missing;
  std::vector<config_error> warnings; ///< worth a line on stderr
  place_map places;                   ///< "search.policy", "model.0.weight" -> its place in the file
};

/// Reads campaign.toml and checks all of it: every error at once. `overrides` are the arguments of --set
/// ("budget.usd=5", "model.main.weight=2", "model.0.weight=2"); a value that is no TOML is a string. `layers` lie
/// below the text, the weakest first. Pure.
campaign_load parse_campaign(std::string_view text, const file_context& context,
                             const std::vector<std::string>& overrides = {},
                             campaign_use use = campaign_use::campaign,
                             const std::vector<config_layer>& layers = {});

/// The same for a file on disk, of a `campaign` with its layers (layers.hpp); one that cannot be read is one error.
campaign_load load_campaign(const std::string& file, const std::vector<std::string>& overrides = {},
                            campaign_use use = campaign_use::campaign);

/// The resolved settings as TOML; `parse_campaign` gives the same settings back. Contains no secret, as
/// settings don't.
std::string settings_text(const campaign_settings& settings);

/// All keys of campaign.toml bound to `into`.
schema campaign_schema(campaign_settings& into);

/// Every key with documentation, type, range and default, as TOML: the source of the manual's reference.
std::string reference_text();

} // namespace ke
