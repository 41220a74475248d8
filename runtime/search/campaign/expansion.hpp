#pragma once

#include "runtime/core/memory_kind.hpp"
#include "runtime/core/node_number.hpp"
#include "runtime/search/index/operation_kind.hpp"
#include "runtime/text/source_template.hpp"

#include <cstdint>
#include <string>

namespace ke {

/// A new node, ready to be asked for. Never stored: a fold of the journal computes it again.
struct expansion {
  std::uint32_t node = 0;
  std::uint32_t parent = 0;
  std::uint32_t parent2 = no_node;
  operation_kind operation = operation_kind::draft;
  std::uint32_t draft = 0; ///< number of the draft; 0 otherwise
  std::string model;
  memory_kind memory = memory_kind::clean;
  std::uint64_t seed = 0;     ///< differs per node
  std::string given = {};     ///< blob of its candidate (model_free_candidates.hpp): no model is asked
  parameter_point point = {}; ///< where to put the given source; empty: as it is
  std::string plan = {};      ///< of the given source
};

} // namespace ke
