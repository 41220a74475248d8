#pragma once

#include "actors/directory.hpp"
#include "actors/supervisor.hpp"

#include <memory>
#include <string>

namespace ke {

/// A child with an entry in the directory while it lives: `spawn(supervisor)` gives the handle at each start.
template <class Spawn>
child_spec named_child(std::shared_ptr<directory> names, std::string name, Spawn spawn) {
  child_spec spec;
  spec.name = name;
  spec.start = [names, name, spawn](caf::event_based_actor* self) {
    return names->start(name, [&] { return spawn(self); });
  };
  return spec;
}

} // namespace ke
