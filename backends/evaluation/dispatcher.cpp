#include "backends/evaluation/dispatcher.hpp"

#include "backends/evaluation/harness.hpp"
#include "backends/evaluation/isolated_source.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/problem.hpp"

#include <algorithm>

namespace ke {
namespace {

std::string arguments(const problem& what) {
  std::string text;
  auto add = [&](const std::string& name) { text += (text.empty() ? "" : ", ") + name; };
  for (const auto& t : what.tensors)
    add(t.name);
  for (const auto& s : what.scalars)
    add(s.name);
  for (const auto& d : what.dims)
    add(d);
  return text;
}

std::string condition(const problem& what, const shape_bucket& where) {
  std::string text;
  for (std::size_t d = 0; d < where.size(); ++d) {
    const auto& name = what.dims[d];
    text += text.empty() ? "" : " && ";
    text += where[d].low == where[d].high ? name + " == " + std::to_string(where[d].low)
                                          : name + " >= " + std::to_string(where[d].low) + " && " + name +
                                                " <= " + std::to_string(where[d].high);
  }
  return text;
}

/// Headers of all parts: those that depend on nothing once, others as their part has them.
void add_headers(std::vector<std::string>& all, const isolated_source& part) {
  for (const auto& line : part.headers)
    if (part.conditional || std::find(all.begin(), all.end(), line) == all.end())
      all.push_back(line);
}

} // namespace

std::string comment_text(std::string text) {
  for (auto& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == '\\')
      c = ' ';
  return text;
}

std::string dispatcher_heading(const std::string& comment, const problem& what,
                               const std::vector<dispatcher_part>& parts,
                               const std::vector<dispatcher_rule>& rules, const dispatcher_part& fallback) {
  auto text = comment + dispatcher_words + "from kernels that were judged each for itself:\n";
  for (const auto& r : rules)
    text += comment + "   " + comment_text(bucket_text(what, r.where)) + " (workload " +
            comment_text(r.workload) + "): " + comment_text(parts[r.part].name) + "\n";
  return text + comment + "   every other shape: " + comment_text(fallback.name) + "\n";
}

result<std::string> cpp_dispatcher(const problem& what, const std::vector<dispatcher_part>& parts,
                                   const std::vector<dispatcher_rule>& rules,
                                   const dispatcher_part& fallback) {
  std::string all_sources;
  for (const auto& p : parts)
    all_sources += p.source;
  auto prefix = "ke_" + digest_of(all_sources + fallback.source).substr(0, 8) + "_";
  std::vector<std::string> headers{"#include <stdint.h>"}, calls;
  std::string bodies;
  auto everybody = parts;
  everybody.push_back(fallback);
  for (std::size_t i = 0; i < everybody.size(); ++i) {
    auto name = prefix + (i < parts.size() ? std::to_string(i) : "fallback");
    auto part = isolate_cpp(everybody[i].source, name);
    if (!part)
      return failure{part.error().kind,
                     everybody[i].name + " can't stand in one source with others: " + part.error().text};
    add_headers(headers, *part);
    bodies += "\n// " + comment_text(everybody[i].name) + "\n" + part->body;
    calls.push_back(name + "::" + name + "_kernel(" + arguments(what) + ");");
  }
  auto text = dispatcher_heading("//", what, parts, rules, fallback);
  for (const auto& line : headers)
    text += line + "\n";
  text += bodies + "\n" + kernel_signature(what) + " {\n";
  for (const auto& r : rules)
    text += "  if (" + condition(what, r.where) + ") {\n    " + calls[r.part] + "\n    return;\n  }\n";
  return text + "  " + calls.back() + "\n}\n";
}

} // namespace ke
