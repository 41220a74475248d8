#include "backends/evaluation/kernel_builder.hpp"
#include "runtime/core/problem.hpp"

#include <catch2/catch.hpp>

using namespace ke;

TEST_CASE("the compiler's first error is told with its line, and with the candidate's own where that is "
          "elsewhere") {
  CHECK(first_error(
            "candidate.cpp: In function 'void kernel()':\ncandidate.cpp:4:3: error: 'z' was not declared\n"
            "candidate.cpp:9:1: error: expected ';'\n",
            {}) == "candidate.cpp:4:3: error: 'z' was not declared");
  CHECK(
      first_error(
          "In file included from /usr/include/c++/12/algorithm:60,\n                 from candidate.cpp:1:\n"
          "/usr/include/c++/12/bits/stl_algo.h:1938:20: error: no match for 'operator-'\n"
          "candidate.cpp:7:12:   required from here\n",
          {}) == "/usr/include/c++/12/bits/stl_algo.h:1938:20: error: no match for 'operator-' (from "
                 "candidate.cpp:7:12)");
  CHECK(first_error("g++: fatal error: killed\n", {}) == "g++: fatal error: killed");
  CHECK(first_error("/usr/bin/ld: cannot find -lopenblas: No such file or directory\ncollect2: error: ld "
                    "returned 1 exit status\n",
                    {}) == "/usr/bin/ld: cannot find -lopenblas: No such file or directory");
  CHECK(first_error("", {}).empty());
}
