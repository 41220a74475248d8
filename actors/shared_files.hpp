#pragma once

#include "runtime/core/result.hpp"
#include "runtime/store/store_share.hpp"

#include <string>

namespace ke {

/// How an export file comes to a store's living owner: it is put into the folder `incoming` of the store,
/// under a name made of its path, and only that name is told. So whoever may speak to the owner, from this
/// machine or another, can't make it open a file elsewhere. The name. Failures: `invalid`.
result<std::string> hand_over(const std::string& store_dir, const std::string& file);
/// Where a file that was handed over lies; `invalid` if `name` is not one that `hand_over` gives.
result<std::string> handed_over(const std::string& store_dir, const std::string& name);
void take_back(const std::string& store_dir, const std::string& name);
/// Removes what a killed client left there: for a new owner of the store, before it can be spoken to.
void drop_handed_over(const std::string& store_dir);

/// What `merge_into` does with two rows of one skill: both as one (knowledge/skill_record.hpp). A row that is
/// no skill gives way to one that is.
std::string join_skills(const std::string& a, const std::string& b);

/// {"from": {"store", "campaign", "exported_unix_ms", "program"}, "records", "added": {KIND: COUNT}}
std::string merge_json(const merge_report& report);

} // namespace ke
