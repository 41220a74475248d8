#include "runtime/search/lab/gene_landscape.hpp"

#include "runtime/text/json_line.hpp"
#include "runtime/text/nearest_name.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

namespace ke {

namespace {

using json = nlohmann::json;

constexpr std::uint32_t most_genes = 256, most_values = 256;

struct bad_landscape {
  std::string text;
};

/// `place` is where in the document: "pairwise[3].i".
[[noreturn]] void refuse(const std::string& place, const std::string& why) {
  throw bad_landscape{"landscape: " + place + ": " + why};
}

std::string bound(double x) {
  return x == std::floor(x) ? std::to_string(static_cast<std::int64_t>(x)) : json_line(json(x));
}

std::string numbered(const std::string& list, std::size_t item) {
  return list + "[" + std::to_string(item) + "]";
}

/// Bounds of a number, and whether it must be whole.
struct number_range {
  double least = 0, most = 0;
  bool whole = false;
  std::string text() const {
    return (whole ? "a whole number from " : "a number from ") + bound(least) + " to " + bound(most);
  }
};

constexpr number_range any_term{-1e9, 1e9};

double number_at(const json& x, const std::string& place, const number_range& range) {
  auto v = x.is_number() ? x.get<double>() : std::nan("");
  if (!(v >= range.least && v <= range.most) || (range.whole && v != std::floor(v)))
    refuse(place, "expected " + range.text());
  return v;
}

/// The member `key` of `object`, which stands at `place` ("" or "pairwise[3].").
double number_of(const json& object, const std::string& place, const char* key, const number_range& range) {
  if (!object.contains(key))
    refuse(place + key, "expected " + range.text() + "; it is missing");
  return number_at(object.at(key), place + key, range);
}

std::uint32_t count_of(const json& object, const std::string& place, const char* key, std::uint32_t least,
                       std::uint32_t most) {
  return static_cast<std::uint32_t>(
      number_of(object, place, key, {static_cast<double>(least), static_cast<double>(most), true}));
}

std::vector<double> row_of(const json& x, const std::string& place, std::size_t columns) {
  if (!x.is_array() || x.size() != columns)
    refuse(place, "expected a list of " + std::to_string(columns) + " numbers");
  std::vector<double> row;
  for (const auto& cell : x)
    row.push_back(number_at(cell, numbered(place, row.size()), any_term));
  return row;
}

/// `rows` lists of `columns` numbers, or one list of all of them.
std::vector<double> table_of(const json& object, const std::string& place, const char* key, std::size_t rows,
                             std::size_t columns) {
  auto shape = "expected " + std::to_string(rows) + " lists of " + std::to_string(columns) + " numbers";
  if (!object.contains(key))
    refuse(place + key, shape + "; it is missing");
  const auto& x = object.at(key);
  if (x.is_array() && x.size() == rows * columns)
    return row_of(x, place + key, rows * columns);
  if (!x.is_array() || x.size() != rows)
    refuse(place + key, shape);
  std::vector<double> all;
  all.reserve(rows * columns);
  for (std::size_t r = 0; r < rows; ++r) {
    auto row = row_of(x[r], numbered(place + key, r), columns);
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

/// A misspelt optional key would leave its default in force without a word. Other keys are the file's own:
/// remarks, where it comes from.
void check_keys(const json& object, const std::string& place, const std::vector<std::string>& known) {
  std::vector<std::string> missing;
  std::copy_if(known.begin(), known.end(), std::back_inserter(missing),
               [&](const auto& key) { return !object.contains(key); });
  for (const auto& [key, value] : object.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      if (auto near = did_you_mean(key, missing); !near.empty())
        refuse(place + key, "unknown key" + near);
}

gene_landscape::pair pair_of(const json& p, const std::string& place, const gene_landscape& l) {
  if (!p.is_object())
    refuse(place, "expected an object with i, j and table");
  check_keys(p, place + ".", {"i", "j", "table"});
  gene_landscape::pair term;
  term.i = count_of(p, place + ".", "i", 0, l.genes - 1);
  term.j = count_of(p, place + ".", "j", 0, l.genes - 1);
  if (term.i == term.j)
    refuse(place, "expected two different genes as i and j");
  term.table = table_of(p, place + ".", "table", l.values, l.values);
  return term;
}

gene_landscape read(const json& all) {
  if (!all.is_object())
    refuse("the document", "expected an object");
  check_keys(all, "",
             {"name", "genes", "values", "additive", "pairwise", "success_probability", "noise", "target"});
  gene_landscape l;
  if (all.contains("name")) {
    if (!all.at("name").is_string())
      refuse("name", "expected a string");
    l.name = all.at("name").get<std::string>();
  }
  l.genes = count_of(all, "", "genes", 1, most_genes);
  l.values = count_of(all, "", "values", 2, most_values);
  l.additive = table_of(all, "", "additive", l.genes, l.values);
  if (all.contains("pairwise")) {
    if (!all.at("pairwise").is_array())
      refuse("pairwise", "expected a list");
    for (const auto& p : all.at("pairwise"))
      l.pairwise.push_back(pair_of(p, numbered("pairwise", l.pairwise.size()), l));
  }
  if (all.contains("success_probability"))
    l.success_probability = number_of(all, "", "success_probability", {1e-6, 1});
  if (all.contains("noise"))
    l.noise = number_of(all, "", "noise", {0, 1e9});
  l.target = number_of(all, "", "target", {-1e12, 1e12});
  return l;
}

/// Of a key that an object has twice the parser would keep the last value.
json parsed(std::string_view text) {
  std::vector<std::set<std::string>> open; // the keys so far of each object around the current place
  return json::parse(text.begin(), text.end(), [&](int, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start)
      open.emplace_back();
    else if (event == json::parse_event_t::object_end)
      open.pop_back();
    else if (event == json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second)
      refuse(value.get<std::string>(), "the key stands twice in one object");
    return true;
  });
}

/// The library's words without its own number of the error.
std::string said(const json::exception& why) {
  std::string text = why.what();
  auto end = text.starts_with("[") ? text.find("] ") : text.npos;
  return end == text.npos ? text : text.substr(end + 2);
}

} // namespace

result<gene_landscape> gene_landscape::parse(std::string_view text) {
  auto bad = [](std::string why) { return failure{failure_kind::invalid, std::move(why), false}; };
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    return bad("landscape: it is empty: expected a JSON document");
  try {
    return read(parsed(text));
  } catch (const bad_landscape& why) {
    return bad(why.text);
  } catch (const json::out_of_range& why) { // the only one: a number that no double holds
    return bad("landscape: a number is out of range: " + said(why));
  } catch (const json::exception& why) {
    return bad("landscape: not a JSON document: " + said(why));
  }
}

double gene_landscape::worth(const std::uint8_t* vector) const {
  double sum = 0;
  for (std::size_t g = 0; g < genes; ++g)
    sum += additive[g * values + vector[g]];
  for (const auto& p : pairwise)
    sum += p.table[std::size_t{vector[p.i]} * values + vector[p.j]];
  return sum;
}

double gene_landscape::mean() const {
  double sum = 0;
  for (auto x : additive)
    sum += x / values;
  for (const auto& p : pairwise)
    for (auto x : p.table)
      sum += x / values / values;
  return sum;
}

namespace {

double variance_of(const double* first, std::size_t n) {
  double m = 0, v = 0;
  for (std::size_t k = 0; k < n; ++k)
    m += first[k] / static_cast<double>(n);
  for (std::size_t k = 0; k < n; ++k)
    v += (first[k] - m) * (first[k] - m) / static_cast<double>(n);
  return v;
}

} // namespace

/// Genes are independent, so variances add up: one of each gene's whole effect (its own term, and the mean of
/// each pair's table over the other gene), and one of each table for what it holds beyond the effects of the
/// two genes. Two tables over the same pair of genes count as one.
double gene_landscape::deviation() const {
  auto effect = additive;
  std::vector<pair> rest; // one per pair of genes, without the means of rows and columns
  for (const auto& p : pairwise) {
    auto i = std::min(p.i, p.j), j = std::max(p.i, p.j);
    pair* own = nullptr;
    for (auto& r : rest)
      if (r.i == i && r.j == j)
        own = &r;
    if (!own)
      own = &rest.emplace_back(pair{i, j, std::vector<double>(p.table.size(), 0.0)});
    for (std::size_t a = 0; a < values; ++a)
      for (std::size_t b = 0; b < values; ++b) {
        auto x = p.table[a * values + b];
        effect[std::size_t{p.i} * values + a] += x / values;
        effect[std::size_t{p.j} * values + b] += x / values;
        own->table[p.i < p.j ? a * values + b : b * values + a] += x;
      }
  }
  double variance = 0;
  for (std::size_t g = 0; g < genes; ++g)
    variance += variance_of(&effect[g * values], values);
  for (auto& r : rest) {
    std::vector<double> row(values, 0.0), column(values, 0.0);
    for (std::size_t a = 0; a < values; ++a)
      for (std::size_t b = 0; b < values; ++b) {
        row[a] += r.table[a * values + b] / values;
        column[b] += r.table[a * values + b] / values;
      }
    for (std::size_t a = 0; a < values; ++a)
      for (std::size_t b = 0; b < values; ++b)
        r.table[a * values + b] -= row[a] + column[b];
    variance += variance_of(r.table.data(), r.table.size());
  }
  return std::sqrt(variance);
}

} // namespace ke
