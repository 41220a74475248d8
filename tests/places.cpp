#include "tests/places.hpp"

namespace ke::test {

const char* source_dir() {
  return KE_SOURCE_DIR;
}
const char* binary_dir() {
  return KE_BINARY_DIR;
}

} // namespace ke::test
