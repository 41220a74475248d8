#include "backends/profile/readings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

namespace ke {
namespace {

constexpr std::size_t most_map_lines = 200'000;

/// The lines of a text, bounded.
template <class Function>
void each_line(std::string_view text, Function f) {
  for (std::size_t n = 0; !text.empty() && n < most_map_lines; ++n) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    f(line);
  }
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size() && words.size() < 64;) {
    at = line.find_first_not_of(" \t\r", at);
    if (at == std::string_view::npos)
      break;
    auto end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

/// A number at the front of `text`; commas between digits and a per cent sign are let pass.
bool number(std::string_view text, double& into) {
  std::string digits;
  for (char c : text.substr(0, 40))
    if (c != ',' && c != '%')
      digits += c;
  char* end = nullptr;
  into = std::strtod(digits.c_str(), &end);
  return end != digits.c_str() && std::isfinite(into);
}

struct mapping {
  std::uint64_t first = 0, last = 0; ///< the first address and the one behind
  std::uint64_t base = 0;            ///< where the file that it is of begins
  std::string_view path;
};

/// Lines "FIRST-LAST RIGHTS OFFSET DEVICE INODE PATH", in the order of their addresses.
std::vector<mapping> mappings_in(std::string_view maps) {
  std::vector<mapping> all;
  each_line(maps, [&](std::string_view line) {
    auto words = words_of(line);
    auto dash = words.empty() ? std::string_view::npos : words[0].find('-');
    if (words.size() < 5 || dash == std::string_view::npos)
      return;
    auto hex = [](std::string_view digits) {
      return std::strtoull(std::string{digits}.c_str(), nullptr, 16);
    };
    mapping m{hex(words[0].substr(0, dash)), hex(words[0].substr(dash + 1)), 0,
              words.size() > 5 ? line.substr(static_cast<std::size_t>(words[5].data() - line.data()))
                               : std::string_view{}};
    bool begins = hex(words[2]) == 0 || all.empty() || all.back().path != m.path;
    m.base = begins ? m.first : all.back().base;
    all.push_back(m);
  });
  return all;
}

const mapping* mapping_of(const std::vector<mapping>& all, std::uint64_t at) {
  auto next = std::upper_bound(all.begin(), all.end(), at,
                               [](std::uint64_t a, const mapping& m) { return a < m.first; });
  return next == all.begin() || at >= std::prev(next)->last ? nullptr : &*std::prev(next);
}

/// Where nobody inside of a sandbox can put a file.
bool is_of_the_system(std::string_view path) {
  for (std::string_view place : {"/usr/", "/lib/", "/lib64/"})
    if (path.starts_with(place))
      return true;
  return false;
}

std::string share_of(std::string_view path) {
  auto name = path.substr(path.rfind('/') + 1);
  if (!is_of_the_system(path))
    return "share.other";
  if (name.starts_with("libm.") || name.starts_with("libm-") || name.starts_with("libmvec"))
    return "share.math";
  return name.starts_with("libgomp") || name.starts_with("libomp") ? "share.openmp" : "share.other";
}

} // namespace

run_profile read_places(const std::vector<std::uint64_t>& addresses, std::string_view maps,
                        std::string_view object) {
  run_profile found;
  auto mapped = mappings_in(maps);
  std::map<std::string, double> shares{
      {"share.object", 0}, {"share.math", 0}, {"share.openmp", 0}, {"share.other", 0}};
  std::map<std::uint64_t, double> inside;
  for (auto at : addresses) {
    const auto* where = mapping_of(mapped, at);
    auto path = where ? where->path : std::string_view{};
    found.samples += 1;
    if (where && path == object) {
      ++inside[at - where->base];
      ++shares["share.object"];
      continue;
    }
    if (where && is_of_the_system(path))
      ++found.libraries[std::string{path}][at - where->base];
    ++shares[share_of(path)];
  }
  found.places.assign(inside.begin(), inside.end());
  if (found.samples > 0)
    for (const auto& [name, n] : shares)
      found.counters[name] = n / found.samples;
  return found;
}

std::map<std::string, double> read_callgrind(std::string_view text) {
  std::vector<std::string> names;
  std::vector<double> values;
  each_line(text, [&](std::string_view line) {
    auto colon = line.find(" : ");
    if (!line.starts_with("==") || colon == std::string_view::npos)
      return;
    auto rest = words_of(line.substr(colon + 3));
    if (line.find("Events ") != std::string_view::npos)
      names.assign(rest.begin(), rest.end());
    if (line.find("Collected ") != std::string_view::npos) {
      values.clear();
      for (auto w : rest)
        if (double n = 0; number(w, n))
          values.push_back(n);
    }
  });
  std::map<std::string, double> found;
  for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i)
    found["cg." + names[i]] = values[i];
  auto sum = [&](const char* total, const char* a, const char* b) {
    if (found.contains(a) && found.contains(b))
      found[total] = found[a] + found[b];
  };
  sum("cg.D1m", "cg.D1mr", "cg.D1mw");
  sum("cg.LLm", "cg.DLmr", "cg.DLmw");
  return found;
}

std::map<std::string, double> read_mca(std::string_view text) {
  std::map<std::string, double> raw;
  auto after = [&](std::string_view line, std::string_view name, const char* key) {
    auto at = line.find(name);
    if (at == std::string_view::npos)
      return;
    auto rest = line.substr(at + name.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t["), rest.size()));
    if (double n = 0; number(rest, n))
      raw.emplace(key, n);
  };
  each_line(text, [&](std::string_view line) {
    after(line, "Iterations:", "iterations");
    after(line, "Total Cycles:", "cycles");
    after(line, "Total uOps:", "uops");
    after(line, "IPC:", "ipc");
    after(line, "Block RThroughput:", "throughput");
    after(line, "Resource Pressure ", "resources");
    after(line, "Data Dependencies:", "dependencies");
    after(line, "- Memory Dependencies", "memory_dependencies");
  });
  std::map<std::string, double> found;
  double n = raw.contains("iterations") ? raw["iterations"] : 0;
  if (n <= 0 || !raw.contains("cycles"))
    return found;
  found["mca.cycles"] = raw["cycles"] / n;
  for (auto key : {"ipc", "throughput"})
    if (raw.contains(key))
      found[std::string{"mca."} + key] = raw[key];
  if (raw.contains("uops"))
    found["mca.uops"] = raw["uops"] / n;
  for (auto key : {"resources", "dependencies", "memory_dependencies"})
    found[std::string{"mca."} + key] = raw.contains(key) ? raw[key] / 100 : 0;
  return found;
}

std::map<std::string, double> read_perf(std::string_view text) {
  std::map<std::string, double> found;
  each_line(text, [&](std::string_view line) {
    auto first = line.find(','), second = first == std::string_view::npos ? first : line.find(',', first + 1);
    auto third = second == std::string_view::npos ? second : line.find(',', second + 1);
    if (third == std::string_view::npos || line.empty() || line[0] == '<' || line[0] == '#')
      return;
    std::string value{line.substr(0, std::min<std::size_t>(first, 40))};
    char* end = nullptr;
    double n = std::strtod(value.c_str(), &end);
    auto name = line.substr(second + 1, third - second - 1);
    name = name.substr(0, name.find(':')); // ":u": of the user's code alone
    if (end != value.c_str() && *end == '\0' && std::isfinite(n) && !name.empty() && name.size() < 40)
      found["hw." + std::string{name}] = n;
  });
  return found;
}

std::vector<std::string> missed_loops(std::string_view text, std::string_view file, std::size_t most) {
  std::vector<std::string> found;
  each_line(text, [&](std::string_view line) {
    auto missed = line.find("missed: ");
    auto remark = line.find("remark: ");
    auto at = missed != std::string_view::npos   ? missed + 8
              : remark != std::string_view::npos ? remark + 8
                                                 : 0;
    if (at == 0 || !line.starts_with(file) || line.size() <= file.size() || line[file.size()] != ':')
      return;
    auto why = line.substr(at);
    if (why == "couldn't vectorize loop") // the next line says why
      return;
    if (why.find("vectorize") == std::string_view::npos && why.find("alias") == std::string_view::npos &&
        why.find("control flow") == std::string_view::npos && why.find("reduction") == std::string_view::npos)
      return;
    auto row = line.substr(file.size() + 1);
    auto said = std::string{row.substr(0, row.find(':'))} + ": " + std::string{why.substr(0, 160)};
    if (found.size() < most && std::find(found.begin(), found.end(), said) == found.end())
      found.push_back(std::move(said));
  });
  return found;
}

} // namespace ke
