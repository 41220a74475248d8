#pragma once

#include <string_view>

namespace ke {

/// In C++, which references of native drivers are written in.
inline constexpr std::string_view native_kernel =
    "#include <cstdint>\n"
    "extern \"C\" void kernel(const std::int32_t* x, std::int32_t* y, std::int64_t n) {\n"
    "  for (std::int64_t i = 0; i < n; ++i)\n"
    "    y[i] = x[i] + 1;\n"
    "}\n";

/// What the product asks of a driver of the judge. Nobody compares a driver's name (scripts/check_drivers.py):
/// a new difference between drivers is a new member here, or a function of the judge's driver_seam.
struct driver_traits {
  std::string_view name; ///< in backend.toml
  std::string_view reference_language = "c++";
  /// Candidates and references are objects, which a command of the manifest builds. Else they are texts.
  bool builds = true;
  /// Its processes are forked from the backend's warm parent, which the evaluation starts.
  bool has_warm_parent = false;
  /// A baseline may compile itself when it is called (torch.compile), so it is called once beforehand.
  bool baseline_compiles = false;
  /// A kernel that is known to be right, for a problem with one vector of 32-bit integers in and one out.
  std::string_view right_kernel;
};

/// The table of drivers, one line each: X(kind, name, traits...). Each has a pair of files
/// backends/judge/drivers/KIND_driver.{hpp,cpp}, which defines `KIND_driver`.
#define KE_DRIVERS(X)                                                                                        \
  X(c_abi, "c-abi", .right_kernel = native_kernel)                                                           \
  X(python, "python", .reference_language = "python", .builds = false, .has_warm_parent = true,              \
    .baseline_compiles = true, .right_kernel = "def reference(x):\n    return x + 1\n")                      \
  X(cuda, "cuda", .right_kernel = native_kernel)

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

} // namespace ke
