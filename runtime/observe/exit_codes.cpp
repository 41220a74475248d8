#include "runtime/observe/exit_codes.hpp"

#include "runtime/observe/log.hpp"

#include <iostream>

namespace ke {

int complain(const failure& why, std::string_view command) {
  std::cout.flush();
  std::cerr << "ke-runtime" << (command.empty() ? "" : " ") << command << ": " << log::masked(why.text)
            << std::endl;
  return exit_code_of(why);
}

} // namespace ke
