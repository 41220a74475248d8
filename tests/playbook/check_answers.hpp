#pragma once

#include "tests/playbook/workbench.hpp"

#include "runtime/playbook/playbook.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace ke::playbook_test {

/// Every source against the first one, the reference, on each shape of the example: within its tolerance and
/// within its buffers.
inline void check_answers(const example& e, const std::vector<std::string>& sources, unsigned seed) {
  compiled object{e, sources, "-O1"};
  for (const auto& shape : e.shapes) {
    call_data truth{e, shape, ++seed};
    truth.call(object.entry(0));
    for (std::size_t k = 1; k < sources.size(); ++k) {
      call_data mine{e, shape, seed};
      mine.call(object.entry(k));
      CAPTURE(e.name, k, nlohmann::json(shape).dump(), point_of(sources[k]).dump());
      CHECK(mine.margins_intact());
      CHECK(mine.difference(truth) <= e.tolerance);
    }
  }
}

} // namespace ke::playbook_test
