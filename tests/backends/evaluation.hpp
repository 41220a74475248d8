#pragma once

#include "backends/evaluation/evaluate.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/process/process_service.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>
#include <unistd.h>

namespace ke_test {

/// Judges without timing, with one cache of built objects per test program.
class checker {
public:
  checker() {
    auto all = ke::load_backends(std::filesystem::path{ke::test::source_dir()} / "backends", {});
    REQUIRE(all);
    cpu = *ke::find_backend(*all, "cpu-cpp");
    options.timed = false;
    options.cache = cache().folder;
    options.judge = std::filesystem::path{ke::test::binary_dir()} / "ke-judge";
    options.driver = std::filesystem::path{ke::test::binary_dir()} / "ke-driver";
    options.limits.memory_bytes = 1ull << 30;
  }
  ke::verdict judge(const ke::problem& p, const std::string& source,
                    ke::measure_plan plan = ke::measure_plan::eval) {
    auto found = ke::evaluate(p, source, cpu, plan, options, processes);
    if (!found)
      FAIL(found.error().text);
    return ke::verdict_of(*found, p, plan);
  }

  ke::process_service processes;
  ke::backend cpu;
  ke::evaluate_options options;

private:
  struct shared {
    std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("ke-checker-cache-" + std::to_string(getpid()));
    ~shared() {
      std::error_code ignored;
      std::filesystem::remove_all(folder, ignored);
    }
  };
  static shared& cache() {
    static shared only;
    return only;
  }
};

} // namespace ke_test
