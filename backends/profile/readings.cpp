#include "backends/profile/readings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ke {
namespace {

constexpr std::size_t most_lines = 200'000;

/// The lines of a text, bounded.
template <class Function>
void each_line(std::string_view text, Function f) {
  for (std::size_t n = 0; !text.empty() && n < most_lines; ++n) {
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

} // namespace

run_profile read_run(std::string_view text) {
  run_profile found;
  // The candidate may print, too; the runner's own lines come last.
  auto start = text.rfind("ke-runner 1\n");
  if (start == std::string_view::npos)
    return found;
  std::map<std::string, double> shares{
      {"share.object", 0}, {"share.math", 0}, {"share.openmp", 0}, {"share.other", 0}};
  double most = 0;
  each_line(text.substr(start), [&](std::string_view line) {
    auto words = words_of(line);
    double n = 0;
    if (words.size() == 3 && words[0] == "pc" && number(words[2], n) && n > 0) {
      std::string hex{words[1].substr(0, 16)};
      char* end = nullptr;
      auto offset = std::strtoull(hex.c_str(), &end, 16);
      if (*end == '\0') {
        found.places.emplace_back(offset, n);
        shares["share.object"] += n;
        found.samples += n;
      }
    } else if (words.size() == 3 && words[0] == "in" && number(words[2], n) && n > 0) {
      auto where = words[1];
      bool math = where.starts_with("libm.") || where.starts_with("libm-") || where.starts_with("libmvec");
      bool openmp = where.starts_with("libgomp") || where.starts_with("libomp");
      shares[math ? "share.math" : openmp ? "share.openmp" : "share.other"] += n;
      found.samples += n;
      if (n > most) {
        most = n;
        found.busiest = std::string{where.substr(0, 120)};
      }
    } else if (words.size() == 2 && number(words[1], n)) {
      if (words[0] == "median_ns" || words[0] == "quiet_ns" || words[0] == "cores" || words[0] == "calls")
        found.counters["run." + std::string{words[0]}] = n;
    }
  });
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

std::string sanitizer_summary(std::string_view report, std::string_view file) {
  std::string kind, access, place;   // of AddressSanitizer, which ends the program
  std::string doubt, doubtful_place; // of UndefinedBehaviorSanitizer, which goes on
  each_line(report, [&](std::string_view line) {
    if (auto at = line.find("Sanitizer: ");
        kind.empty() && at != std::string_view::npos && line.find("ERROR") != std::string_view::npos) {
      auto rest = line.substr(at + 11);
      kind = std::string{rest.substr(0, std::min(rest.find(" on "), rest.find(" (")))}.substr(0, 80);
    }
    if (auto at = line.find(": runtime error: "); doubt.empty() && at != std::string_view::npos) {
      doubt = std::string{line.substr(at + 17)}.substr(0, 160);
      auto where = line.substr(0, at);
      auto name = where.rfind(file);
      doubtful_place =
          std::string{name == std::string_view::npos ? where : where.substr(name)}.substr(0, 120);
    }
    if (!kind.empty() && access.empty() && (line.starts_with("READ of") || line.starts_with("WRITE of")))
      access = std::string{line.substr(0, line.find(" at "))}.substr(0, 40);
    auto name = line.find(file);
    if (!kind.empty() && place.empty() && name != std::string_view::npos && line.find('#') < name) {
      auto row = line.substr(name);
      place = std::string{row.substr(0, row.find_first_of(" )"))}.substr(0, 80);
      auto in = line.find(" in ");
      if (in < name)
        place += " in " + std::string{line.substr(in + 4, line.find(' ', in + 4) - in - 4)}.substr(0, 80);
    }
  });
  if (kind.empty())
    return doubt.empty() ? "" : doubt + ", at " + doubtful_place;
  return kind + (access.empty() ? "" : ", " + access) + (place.empty() ? "" : ", at " + place);
}

} // namespace ke
