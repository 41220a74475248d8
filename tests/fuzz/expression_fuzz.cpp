#include "runtime/text/expression.hpp"

#include <cmath>
#include <cstdlib>

/// Any bytes as a formula: a finite value or a failure with a text.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string_view text{reinterpret_cast<const char*>(data), size};
  static const std::map<std::string, std::int64_t> symbols{{"M", 512}, {"N", -3}, {"zero", 0}};
  auto whole = ke::integer_value(text, symbols);
  auto real = ke::real_value(text, symbols);
  if ((!whole && whole.error().text.empty()) || (real && !std::isfinite(*real)))
    std::abort();
  return 0;
}
