#pragma once

#include "backends/evidence/device_object.hpp"
#include "runtime/core/result.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

inline constexpr std::size_t most_launches = 16;

/// The values of the names in a declaration's expressions, for one workload.
using launch_shape = std::map<std::string, std::int64_t>;

/// A launch and the line of the source on which it is declared, from 1.
struct placed_launch {
  declared_launch launch;
  std::uint32_t line = 1;
};

/// The launches that a candidate declares: the first block comment with a table `[launch]`, or several
/// `[[launch]]`, is TOML.
///
///   entry    an extern "C" __global__ function; "kernel" if it is not said
///   grid     blocks: a whole number, an expression, or a list of one to three of these
///   block    threads, likewise
///   shared   bytes of dynamic shared memory; 0 if it is not said
///
/// Names in expressions are those of `shapes`; others that the source defines as a whole number (`#define
/// BLOCK 256`) are replaced by it. Every expression must have a value that can be launched for each of
/// `shapes`; without any, values are not looked at. `invalid`: lines "FILE(12): error: launch.grid: what is
/// wrong", in the order of the file. Pure.
result<std::vector<placed_launch>> read_launches(std::string_view source, const std::string& file,
                                                 const std::vector<launch_shape>& shapes);

} // namespace ke
