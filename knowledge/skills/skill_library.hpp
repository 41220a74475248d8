#pragma once

#include "knowledge/library/document.hpp"
#include "runtime/core/skill.hpp"

namespace ke {

/// A skill as a document, for retrieval. Family, dtypes and targets filter it, the bottleneck is a signal,
/// and usefulness so far raises it. Pure.
document document_of(const skill& s);

} // namespace ke
