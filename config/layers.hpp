#pragma once

#include "runtime/toml/schema.hpp"

#include <string>
#include <vector>

namespace ke {

struct file_context;

// A campaign's keys come from layers: built-in defaults < the operator's family < the problem < campaign.toml <
// --set. A key stands where the last of these that has it says. The two layers between are files of a person,
// found by rule; where there is none, nothing changes.

/// A file with some of campaign.toml's keys: [goal] but for `baseline`, [budget] and [search]. What runs programs,
/// names files or costs money elsewhere belongs to the campaign.
struct config_layer {
  std::string name; ///< shown in errors, and as a value's origin
  std::string text;
};

/// The layers of a campaign, the weakest first. Of a problem.toml: `families/FAMILY.toml` in the folder of
/// campaign.toml, and `defaults.toml` beside the problem; of NAME.py: `NAME.defaults.toml` beside it. `problem`
/// is the path of the campaign's problem, absolute. Reads files; one that is there and can't be read is an error.
std::vector<config_layer> layers_of(const std::string& problem, const file_context& campaign,
                                    std::vector<config_error>& errors);

/// Puts every key of the layer that the document lacks into it, tables merged key by key. Errors name the
/// layer's file. Apply the strongest layer first. Pure.
void put_under(toml_node& document, const config_layer& layer, std::vector<config_error>& errors);

/// Where each key that is no default comes from, a comment a line: "#   search.beam: families/scan.toml:3". For
/// people. `own`: the campaign's file as it is shown.
std::string origins_text(const place_map& places, const schema& keys, const std::string& own);

} // namespace ke
