#pragma once

#include "interface/cli/access.hpp"
#include "knowledge/library/document.hpp"
#include "runtime/core/skill.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace ke::cli {

/// A store's skills, most useful first, and its folder.
struct stored_skills {
  std::vector<skill> all;
  std::string dir;
};

/// Reads them for `command`; fails as open_access does, and if the store is on another machine.
result<stored_skills> read_skills(const access_options& where, const std::string& command);

/// Whether prompts no longer show it, as far as the store knows: a running campaign also counts gains without
/// any skill.
bool is_quarantined(const skill& s);

/// The skills as documents for retrieval; `all`: with those in quarantine.
std::vector<document> documents_of(const std::vector<skill>& skills, bool all);

std::string skills_json(const std::vector<skill>& skills);
void write_skills_text(const stored_skills& skills, std::ostream& out);

} // namespace ke::cli
