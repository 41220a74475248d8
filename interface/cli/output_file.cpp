#include "interface/cli/output_file.hpp"

#include "runtime/store/durable_file.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace ke::cli {

status write_output(const std::string& path, std::string_view bytes, bool executable) {
  int rc = replace_file(path, bytes);
  auto hidden = ::umask(0);
  ::umask(hidden);
  if (rc == 0 && ::chmod(path.c_str(), (executable ? 0777u : 0666u) & ~hidden) != 0)
    rc = errno;
  if (rc == 0)
    return ok;
  return failure{failure_kind::invalid, "cannot write " + path + ": " + std::strerror(rc)};
}

} // namespace ke::cli
