#include "runtime/search/gene_landscape.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace ke {

namespace {

using json = nlohmann::json;

constexpr std::uint32_t most_genes = 256, most_values = 256;

struct bad_landscape {
  std::string text;
};

[[noreturn]] void refuse(const std::string& key, const std::string& expected) {
  throw bad_landscape{"landscape: " + key + ": expected " + expected};
}

double number_at(const json& x, const std::string& key, double least, double most) {
  if (!x.is_number())
    refuse(key, "a number");
  auto v = x.get<double>();
  if (!std::isfinite(v) || v < least || v > most)
    refuse(key, "a number from " + json(least).dump() + " to " + json(most).dump());
  return v;
}

double number_of(const json& all, const char* key, double least, double most) {
  if (!all.contains(key))
    refuse(key, "a number; it is missing");
  return number_at(all.at(key), key, least, most);
}

std::uint32_t count_of(const json& all, const char* key, std::uint32_t least, std::uint32_t most) {
  auto v = number_of(all, key, least, most);
  if (v != std::floor(v))
    refuse(key, "a whole number");
  return static_cast<std::uint32_t>(v);
}

/// `rows` lists of `columns` numbers, or one list of all of them.
std::vector<double> table_of(const json& x, const std::string& key, std::size_t rows, std::size_t columns) {
  constexpr double huge = 1e9;
  auto shape = std::to_string(rows) + " lists of " + std::to_string(columns) + " numbers";
  if (!x.is_array() || (x.size() != rows && x.size() != rows * columns))
    refuse(key, shape);
  std::vector<double> all;
  all.reserve(rows * columns);
  for (const auto& row : x) {
    if (row.is_number()) {
      all.push_back(number_at(row, key, -huge, huge));
      continue;
    }
    if (!row.is_array() || row.size() != columns)
      refuse(key, shape);
    for (const auto& cell : row)
      all.push_back(number_at(cell, key, -huge, huge));
  }
  if (all.size() != rows * columns)
    refuse(key, shape);
  return all;
}

gene_landscape read(const json& all) {
  if (!all.is_object())
    refuse("the document", "an object");
  gene_landscape l;
  if (all.contains("name") && all.at("name").is_string())
    l.name = all.at("name").get<std::string>();
  l.genes = count_of(all, "genes", 1, most_genes);
  l.values = count_of(all, "values", 2, most_values);
  if (!all.contains("additive"))
    refuse("additive", std::to_string(l.genes) + " lists of numbers; it is missing");
  l.additive = table_of(all.at("additive"), "additive", l.genes, l.values);
  if (all.contains("pairwise")) {
    if (!all.at("pairwise").is_array())
      refuse("pairwise", "a list");
    for (const auto& p : all.at("pairwise")) {
      auto key = "pairwise[" + std::to_string(l.pairwise.size()) + "]";
      if (!p.is_object() || !p.contains("i") || !p.contains("j") || !p.contains("table"))
        refuse(key, "an object with i, j and table");
      gene_landscape::pair term;
      term.i = count_of(p, "i", 0, l.genes - 1);
      term.j = count_of(p, "j", 0, l.genes - 1);
      if (term.i == term.j)
        refuse(key, "two different genes");
      term.table = table_of(p.at("table"), key + ".table", l.values, l.values);
      l.pairwise.push_back(std::move(term));
    }
  }
  if (all.contains("success_probability"))
    l.success_probability = number_of(all, "success_probability", 1e-6, 1);
  if (all.contains("noise"))
    l.noise = number_of(all, "noise", 0, 1e9);
  l.target = number_of(all, "target", -1e12, 1e12);
  return l;
}

} // namespace

result<gene_landscape> gene_landscape::parse(std::string_view text) {
  try {
    return read(json::parse(text.begin(), text.end()));
  } catch (const bad_landscape& why) {
    return failure{failure_kind::invalid, why.text, false};
  } catch (const json::exception& why) {
    return failure{failure_kind::invalid, std::string{"landscape: not a JSON document: "} + why.what(),
                   false};
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

/// Genes are independent, so the variance is that of each gene's whole effect (its own term and the means of
/// its pairs' tables over the other gene), plus what each table holds beyond the effects of its two genes.
/// Two tables over the same pair of genes count as one.
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
        effect[p.i * values + a] += x / values;
        effect[p.j * values + b] += x / values;
        own->table[p.i < p.j ? a * values + b : b * values + a] += x;
      }
  }
  double variance = 0;
  auto spread = [](const double* first, std::size_t n) {
    double m = 0, v = 0;
    for (std::size_t k = 0; k < n; ++k)
      m += first[k] / static_cast<double>(n);
    for (std::size_t k = 0; k < n; ++k)
      v += (first[k] - m) * (first[k] - m) / static_cast<double>(n);
    return v;
  };
  for (std::size_t g = 0; g < genes; ++g)
    variance += spread(&effect[g * values], values);
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
    variance += spread(r.table.data(), r.table.size());
  }
  return std::sqrt(variance);
}

} // namespace ke
