#pragma once

#include <string_view>

namespace ke {

/// What the product asks of a driver of the judge. Nobody compares a driver's name (scripts/check_drivers.py):
/// a new difference between drivers is a new member here, or a function of the judge's driver_seam.
struct driver_traits {
  std::string_view name; ///< in backend.toml
  std::string_view reference_language = "c++";
  /// Candidates and references are objects, which a command of the manifest builds. Else they are texts.
  bool builds = true;
  /// Its processes are forked from the backend's warm parent, which the evaluation starts.
  bool has_warm_parent = false;
  /// Its processes work on a device of the target's kind, which ke-judge lists.
  bool needs_device = false;
  /// A baseline may compile itself when it is called (torch.compile), so it is called once beforehand.
  bool baseline_compiles = false;
  /// A kernel that is known to be right, for a problem with one vector of N 32-bit integers in and one out (self_test.cpp).
  std::string_view right_kernel;
  std::string_view right_reference = right_kernel; ///< the same in the references' language
};

namespace detail {
inline constexpr std::string_view right_in_cpp =
    "#include <cstdint>\n"
    "extern \"C\" void kernel(const std::int32_t* x, std::int32_t* y, std::int64_t n) {\n"
    "  for (std::int64_t i = 0; i < n; ++i)\n"
    "    y[i] = x[i] + 1;\n"
    "}\n";
} // namespace detail

/// The table of drivers, one line each: X(kind, name, traits...). Each has a pair of files
/// backends/judge/drivers/KIND_driver.{hpp,cpp}, which defines `KIND_driver`.
#define KE_DRIVERS(X)                                                                                        \
  X(c_abi, "c-abi", .right_kernel = detail::right_in_cpp)                                                    \
  X(python, "python", .reference_language = "python", .builds = false, .has_warm_parent = true,              \
    .baseline_compiles = true, .right_kernel = "def reference(x):\n    return x + 1\n")                      \
  X(python_cuda, "python-cuda", .reference_language = "python", .builds = false, .has_warm_parent = true,    \
    .needs_device = true, .baseline_compiles = true,                                                         \
    .right_kernel = "def reference(x):\n    return x + 1\n")                                                 \
  X(cuda, "cuda", .needs_device = true,                                                                      \
    .right_kernel = "/*\n[launch]\ngrid = \"ceildiv(N, 256)\"\nblock = 256\n*/\n"                            \
                    "extern \"C\" __global__ void kernel(const int* x, int* y, long long n) {\n"             \
                    "  long long i = blockIdx.x * 256LL + threadIdx.x;\n"                                    \
                    "  if (i < n)\n"                                                                         \
                    "    y[i] = x[i] + 1;\n"                                                                 \
                    "}\n",                                                                                   \
    .right_reference = detail::right_in_cpp)

namespace detail {
#define KE_DRIVER(kind, manifest_name, ...) driver_traits{.name = manifest_name, __VA_ARGS__},
inline constexpr driver_traits traits_of_drivers[] = {KE_DRIVERS(KE_DRIVER)};
#undef KE_DRIVER
} // namespace detail

/// Null: this program has no such driver.
constexpr const driver_traits* traits_of_driver(std::string_view name) {
  for (const auto& traits : detail::traits_of_drivers)
    if (traits.name == name)
      return &traits;
  return nullptr;
}

/// Whether there is such a driver, and what it calls is built before it runs.
constexpr bool driver_builds(std::string_view name) {
  const auto* traits = traits_of_driver(name);
  return traits && traits->builds;
}

} // namespace ke
