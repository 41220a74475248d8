#pragma once

namespace ke::test {

/// The source tree, and the build folder that holds the programs.
const char* source_dir();
const char* binary_dir();

} // namespace ke::test
