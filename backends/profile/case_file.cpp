#include "backends/profile/case_file.hpp"

#include "backends/judge/inputs.hpp"
#include "backends/judge/secret_random.hpp"
#include "backends/judge/shapes.hpp"
#include "backends/verdict/diagnosis.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/evidence_keys.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

namespace ke {
namespace {

/// As case_arguments.hpp has it.
struct argument {
  std::uint64_t role, bytes;
};

std::uint64_t number_of(tensor_role role) {
  return role == tensor_role::in ? 0 : role == tensor_role::out ? 1 : 2;
}

status write_file(const std::filesystem::path& file, const std::vector<argument>& table,
                  const std::string& data) {
  std::ofstream out{file, std::ios::binary};
  std::uint64_t n = table.size();
  out.write("KECASE1\n", 8);
  out.write(reinterpret_cast<const char*>(&n), 8);
  out.write(reinterpret_cast<const char*>(table.data()),
            static_cast<std::streamsize>(table.size() * sizeof(argument)));
  out.write(data.data(), static_cast<std::streamsize>(data.size()));
  if (!out.flush())
    return failure{failure_kind::disk_full, "cannot write " + file.string() + "; is the disk full?", true};
  chmod(file.c_str(), 0644); // the sandbox's user reads it
  return ok;
}

/// "M=127,N=1001"
std::map<std::string, std::int64_t> dims_of(const std::string& text) {
  std::map<std::string, std::int64_t> dims;
  std::istringstream in{text};
  for (std::string part; std::getline(in, part, ',');)
    if (auto equals = part.find('='); equals != std::string::npos)
      dims[part.substr(0, equals)] = std::strtoll(part.c_str() + equals + 1, nullptr, 10);
  return dims;
}

} // namespace

std::optional<case_choice> case_of(const evidence& found, const problem& what) {
  case_choice where;
  if (found.ending == ending::crashed) {
    auto at = found.findings.find(finding_keys::case_dims);
    if (at == found.findings.end())
      return std::nullopt;
    where.dims = dims_of(at->second);
    if (auto how = found.findings.find(finding_keys::case_distribution); how != found.findings.end())
      where.distribution = how->second;
    return where;
  }
  auto longest = longest_workload(found, what);
  if (longest.workload >= what.workloads.size())
    return std::nullopt;
  where.workload = longest.workload;
  where.call_s = longest.call_s;
  where.dims = what.workloads[longest.workload].dims;
  return where;
}

status write_case(const std::filesystem::path& file, const problem& what,
                  const std::map<std::string, std::int64_t>& dims, const std::string& named,
                  std::uint64_t key) {
  auto shapes = bind_shapes(what, "profile", dims);
  if (!shapes)
    return shapes.error();
  auto how = parse_name<distribution>(named).value_or(distribution::init);
  random_source random{key};
  std::vector<argument> table;
  std::string data;
  for (std::size_t t = 0; t < what.tensors.size(); ++t) {
    const auto& spec = what.tensors[t];
    auto elements = shapes->elements[t];
    table.push_back({number_of(spec.role), elements * bytes_of(spec.dtype)});
    if (spec.role == tensor_role::out)
      continue;
    const auto& shape = shapes->shapes[t];
    auto last = shape.empty() ? std::size_t{1} : static_cast<std::size_t>(shape.back());
    auto bytes = draw_tensor(what, spec, elements, last, how, random);
    if (!bytes)
      return bytes.error();
    data += *bytes;
  }
  auto scalar = [&](const void* value) {
    table.push_back({0, 8});
    data.append(static_cast<const char*>(value), 8);
  };
  for (const auto& s : what.scalars) {
    auto whole = static_cast<std::int64_t>(s.value);
    s.integer ? scalar(&whole) : scalar(&s.value);
  }
  for (const auto& d : what.dims) {
    std::int64_t value = dims.contains(d) ? dims.at(d) : 0;
    scalar(&value);
  }
  return write_file(file, table, data);
}

} // namespace ke
