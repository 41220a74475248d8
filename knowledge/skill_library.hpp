#pragma once

#include "knowledge/document.hpp"
#include "runtime/core/skill.hpp"

namespace ke {

/// A skill as a document, so that retrieval finds it by its signals among the others: for its family, dtypes
/// and targets, with its bottleneck as signal, and raised by what it has been good for. Pure.
document document_of(const skill& s);

} // namespace ke
