#pragma once

#include "runtime/text/candidate_language.hpp"

/// The languages of the program's own backends, for tests of rooms that know no manifests. backend_test.cpp
/// compares them with the manifests.
namespace ke::test {

inline const candidate_language& cpp_language() {
  static const candidate_language l{"c++",
                                    source_language::cpp,
                                    {"cpp", "c++", "cxx", "cc", "c", "hpp"},
                                    {"#include", "#pragma", "#define", "extern", "template", "using ",
                                     "static ", "typedef", "//", "/*", "namespace", "void "},
                                    ".cpp",
                                    {}};
  return l;
}

inline const candidate_language& python_language() {
  static const candidate_language l{"python",
                                    source_language::python,
                                    {"python", "py", "python3", "triton", "gluon", "torch"},
                                    {"import ", "from ", "def ", "class ", "@", "#", "\"\"\""},
                                    ".py",
                                    {}};
  return l;
}

} // namespace ke::test
