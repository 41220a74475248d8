#include "config/campaign_file.hpp"
#include "config/problem_file.hpp"

#include <cstdio>
#include <string_view>

/// Prints every key of one kind of file as its schema knows it: ke-print-reference campaign|problem.
/// scripts/manual.sh puts it into the manual.
int main(int argc, char** argv) {
  const std::string_view kind = argc == 2 ? argv[1] : "";
  if (kind != "campaign" && kind != "problem") {
    std::fputs("usage: ke-print-reference campaign|problem\n", stderr);
    return 2;
  }
  std::fputs((kind == "campaign" ? ke::reference_text() : ke::problem_reference_text()).c_str(), stdout);
  return 0;
}
