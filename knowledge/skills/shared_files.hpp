#pragma once

#include "runtime/core/result.hpp"
#include "runtime/store/store_share.hpp"

#include <string>

namespace ke {

/// Copies `file` into the store's `incoming` folder and returns its name there. The owner learns only that
/// name and opens only that file, so no client can make it open another one. Fails: `invalid`.
result<std::string> hand_over(const std::string& store_dir, const std::string& file);
/// The path of a file handed over; `invalid` if `name` is not of `hand_over`'s form.
result<std::string> handed_over(const std::string& store_dir, const std::string& name);
void take_back(const std::string& store_dir, const std::string& name);
/// Removes what a killed client left: for a new owner of the store, before clients can reach it.
void drop_handed_over(const std::string& store_dir);

/// Joins two rows of one skill, for `merge_into` (skill_record.hpp). Of a skill and another row the skill
/// stays.
std::string join_skills(const std::string& a, const std::string& b);

/// {"from": {"store", "campaign", "exported_unix_ms", "program"}, "records", "added": {KIND: COUNT}}
std::string merge_json(const merge_report& report);

} // namespace ke
