#pragma once

#include "runtime/core/problem.hpp"

namespace ke_test {

/// y = x * scale + 1, elementwise; cheap to judge.
inline ke::problem elementwise() {
  ke::problem p;
  p.name = "scale";
  p.family = "elementwise";
  p.dims = {"N"};
  p.tensors = {{"x", ke::tensor_role::in, ke::dtype::f32, {"N"}, "normal"},
               {"y", ke::tensor_role::out, ke::dtype::f32, {"N"}, "normal"}};
  p.scalars = {{"scale", false, 1.5}};
  p.workloads = {{"wide", {{"N", 100000}}, 1.0, false}};
  p.reference_language = "c++";
  p.reference = R"(#include <cmath>
#include <cstdint>
extern "C" void kernel(const float* x, float* y, double scale, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = std::sin(x[i]) * static_cast<float>(scale) + 1.0f;
}
)";
  return p;
}

/// Row-wise softmax with a reference that takes its time.
inline ke::problem softmax() {
  ke::problem p;
  p.name = "softmax";
  p.family = "softmax";
  p.dims = {"M", "N"};
  p.tensors = {{"x", ke::tensor_role::in, ke::dtype::f32, {"M", "N"}, "normal"},
               {"y", ke::tensor_role::out, ke::dtype::f32, {"M", "N"}, "normal"}};
  p.workloads = {{"wide", {{"M", 16}, {"N", 1024}}, 1.0, false},
                 {"tall", {{"M", 256}, {"N", 64}}, 1.0, false},
                 {"odd", {{"M", 31}, {"N", 257}}, 1.0, true}};
  p.reference_language = "c++";
  p.reference = R"(#include <algorithm>
#include <cmath>
#include <cstdint>
extern "C" void kernel(const float* x, float* y, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; ++i) {
    float largest = x[i * n], sum = 0.0f;
    for (int64_t j = 1; j < n; ++j) largest = std::max(largest, x[i * n + j]);
    for (int64_t j = 0; j < n; ++j) sum += std::exp(x[i * n + j] - largest);
    for (int64_t j = 0; j < n; ++j) y[i * n + j] = std::exp(x[i * n + j] - largest) / sum;
  }
}
)";
  return p;
}

} // namespace ke_test
