#pragma once

#include "knowledge/library/document.hpp"
#include "runtime/core/skill.hpp"

namespace ke {

/// A skill as a document, so that retrieval finds it: for its family, dtypes and targets, with its bottleneck
/// as signal, raised by its usefulness so far. Pure.
document document_of(const skill& s);

} // namespace ke
