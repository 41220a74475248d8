#pragma once

#include "knowledge/prompt/prompt_builder.hpp"

#include <string>

// The sections of a prompt, one function each; empty text: nothing to say. Quotes are bounded. Pure.

namespace ke {

/// A device's own target, or one that candidates are compiled for; a CPU is none.
bool is_device(const device_info& target);

// The same for all nodes of a tree.
std::string task_part(const prompt_request& r);   ///< what to write, for which problem and policy
std::string target_part(const prompt_request& r); ///< the device's facts
std::string
measured_here_part(const prompt_request& r); ///< what the reference takes, and what the machine reaches
std::string constraints_part(const prompt_request& r); ///< what every candidate must keep to
std::string answer_part(const prompt_request& r);      ///< forms of an answer and their limits

// This node's own.
std::string parent_part(const prompt_request& r);    ///< the parent's result and source
std::string failure_part(const prompt_request& r);   ///< of a fix: what went wrong, with the diagnostics
std::string diagnosis_part(const prompt_request& r); ///< what limits the parent, with the evidence
std::string partner_part(const prompt_request& r);   ///< the second parent of a crossover
std::string ancestors_part(const prompt_request& r); ///< how the parent came about
std::string past_part(const prompt_request& r);      ///< a model's summary of that
std::string changes_part(const prompt_request& r);   ///< the last steps on that way as diffs
std::string siblings_part(const prompt_request& r);  ///< what was tried from this parent, best against rest
std::string uncles_part(const prompt_request& r);    ///< what gained at the same time as the parent
std::string archive_part(const prompt_request& r);   ///< the best of the rest of the tree
std::string direction_part(const prompt_request& r); ///< what this attempt tries, and what others try now
std::string space_part(const prompt_request& r);     ///< the parent's parameters
std::string form_part(const prompt_request& r);      ///< edits or a whole source, and what of it may change
std::string hints_part(const prompt_request& r);
std::string repair_part(const prompt_request& r);

} // namespace ke
