#include "runtime/text/tensor_bytes.hpp"

#include "runtime/core/problem.hpp"
#include "runtime/text/expression.hpp"

namespace ke {

double tensor_bytes(const problem& what, const workload& w) {
  double bytes = 0;
  for (const auto& t : what.tensors) {
    double elements = 1;
    for (const auto& extent : t.shape) {
      auto value = integer_value(extent, w.dims);
      elements *= value ? static_cast<double>(*value) : 0;
    }
    bytes += elements * static_cast<double>(bytes_of(t.dtype)) * (t.role == tensor_role::inout ? 2 : 1);
  }
  return bytes;
}

} // namespace ke
