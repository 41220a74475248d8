#include "interface/cli/report_plot.hpp"

#include "interface/cli/figures.hpp"
#include "interface/cli/html_text.hpp"

#include <algorithm>
#include <cmath>

namespace ke::cli {
namespace {

constexpr double width = 720, height = 300, left = 56, right = 16, top = 14, bottom = 40;

/// A round step so that about `parts` of them cover the span.
double round_step(double span, int parts) {
  auto raw = span / parts, power = std::pow(10.0, std::floor(std::log10(raw)));
  for (double m : {1.0, 2.0, 5.0, 10.0})
    if (raw <= m * power)
      return m * power;
  return 10 * power;
}

std::string at(double x) {
  return fixed(x, 1);
}

std::string text(double x, double y, const char* anchor, const std::string& words) {
  return "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" text-anchor=\"" + anchor + "\">" + html_text(words) +
         "</text>";
}

std::string line(double x1, double y1, double x2, double y2, const char* kind) {
  return "<line class=\"" + std::string{kind} + "\" x1=\"" + at(x1) + "\" y1=\"" + at(y1) + "\" x2=\"" +
         at(x2) + "\" y2=\"" + at(y2) + "\"/>";
}

class scale {
public:
  scale(double from, double to, double begin, double end)
      : from_{from}, factor_{(end - begin) / (to > from ? to - from : 1)}, begin_{begin} {}
  double operator()(double x) const { return begin_ + (x - from_) * factor_; }

private:
  double from_, factor_, begin_;
};

std::string opened(const std::string& label, double high) {
  return "<svg viewBox=\"0 0 " + at(width) + " " + at(high) + "\" role=\"img\" aria-label=\"" +
         html_text(label) + "\"><title>" + html_text(label) + "</title>";
}

std::string axes(const scale& x, const scale& y, double x_max, double y_max, bool by_time) {
  auto unit = !by_time ? 1.0 : x_max > 7200 ? 3600.0 : x_max > 120 ? 60.0 : 1.0;
  auto unit_name = !by_time       ? "candidates with a verdict"
                   : unit == 3600 ? "campaign time, hours"
                   : unit == 60   ? "campaign time, minutes"
                                  : "campaign time, seconds";
  auto y_step = round_step(y_max, 5), x_step = round_step(x_max / unit, 6);
  std::string out;
  for (int i = 0; i * y_step <= y_max; ++i)
    out += line(left, y(i * y_step), width - right, y(i * y_step), "grid") +
           text(left - 6, y(i * y_step) + 4, "end", fixed(i * y_step, y_step < 1 ? 1 : 0) + "x");
  for (int i = 0; i * x_step * unit <= x_max; ++i)
    out += text(x(i * x_step * unit), height - bottom + 16, "middle", fixed(i * x_step, x_step < 1 ? 1 : 0));
  out += text((left + width - right) / 2, height - 6, "middle", unit_name);
  return out + line(left, y(1), width - right, y(1), "baseline") +
         text(width - right - 4, y(1) - 4, "end", "baseline");
}

/// The best so far as a line of steps, each from its place to the next one's, in the band of its interval.
std::string best_line(const report_facts& f, const std::vector<double>& from, double end, const scale& y) {
  std::string band_up, band_down, steps;
  for (std::size_t i = 0; i < f.steps.size(); ++i) {
    const auto& s = f.steps[i];
    auto begin = at(from[i]), to = at(i + 1 < from.size() ? from[i + 1] : end);
    band_up += begin + "," + at(y(s.high)) + " " + to + "," + at(y(s.high)) + " ";
    band_down = to + "," + at(y(s.low)) + " " + begin + "," + at(y(s.low)) + " " + band_down;
    steps += begin + "," + at(y(s.speedup)) + " " + to + "," + at(y(s.speedup)) + " ";
  }
  if (f.steps.empty())
    return {};
  return "<polygon class=\"band\" points=\"" + band_up + band_down +
         "\"/><polyline class=\"best\" points=\"" + steps + "\"/>";
}

} // namespace

std::string speedup_plot(const report_facts& f, plot_axis over) {
  auto by_time = over == plot_axis::time;
  auto x_of = [&](std::uint64_t ms, std::uint64_t n) {
    return by_time ? static_cast<double>(ms) / 1000 : static_cast<double>(n);
  };
  double x_max = by_time ? static_cast<double>(f.row.wall_ms) / 1000 : static_cast<double>(f.judged),
         y_max = 1.2;
  for (const auto& d : f.dots)
    x_max = std::max(x_max, x_of(d.ms, d.candidates));
  for (const auto& s : f.steps)
    y_max = std::max({y_max, s.high * 1.05, s.speedup * 1.05});
  x_max = std::max(x_max, 1.0);
  scale x{0, x_max, left, width - right}, y{0, y_max, height - bottom, top};
  auto out = opened("Best speedup so far over " + std::string{by_time ? "time" : "candidates"} +
                        ", with 95% intervals",
                    height);
  out += axes(x, y, x_max, y_max, by_time);
  for (const auto& d : f.dots)
    out += "<circle class=\"" + std::string{d.correct ? "dot" : "dot wrong"} + "\" cx=\"" +
           at(x(x_of(d.ms, d.candidates))) + "\" cy=\"" + at(y(d.correct ? d.score : 0)) + "\" r=\"2.2\"/>";
  std::vector<double> from;
  from.reserve(f.steps.size());
  for (const auto& s : f.steps)
    from.push_back(x(x_of(s.won.judged_ms, s.won.candidates)));
  out += best_line(f, from, x(x_max), y);
  for (const auto& s : f.steps)
    out += "<circle class=\"step\" cx=\"" + at(x(x_of(s.won.judged_ms, s.won.candidates))) + "\" cy=\"" +
           at(y(s.speedup)) + "\" r=\"4\"><title>node " + std::to_string(s.won.node) + ": " +
           (s.timed ? speedup_text(s.speedup, s.low, s.high) : "score " + fixed(s.speedup, 3)) + " after " +
           duration_text(static_cast<double>(s.won.judged_ms) / 1000) + "</title></circle>";
  return out + "</svg>";
}

std::string workload_plot(const timing_summary& t) {
  constexpr double row = 26, names = 170;
  auto high = static_cast<double>(t.workloads.size()) * row + 30;
  double x_max = 1.2;
  for (const auto& w : t.workloads)
    x_max = std::max(x_max, w.high * 1.05);
  scale x{0, x_max, names, width - 150};
  auto out = opened("Speedup on each workload, with 95% intervals", high);
  double at_y = 6;
  for (const auto& w : t.workloads) {
    auto middle = at_y + row / 2;
    out += text(names - 8, middle + 4, "end", w.name.substr(0, 24));
    out += "<rect class=\"bar\" x=\"" + at(names) + "\" y=\"" + at(at_y + 4) + "\" width=\"" +
           at(std::max(0.0, x(w.speedup) - names)) + "\" height=\"" + at(row - 8) + "\"/>";
    out += line(x(w.low), middle, x(w.high), middle, "whisker") +
           line(x(w.low), middle - 5, x(w.low), middle + 5, "whisker") +
           line(x(w.high), middle - 5, x(w.high), middle + 5, "whisker");
    out += text(width - 144, middle + 4, "start", speedup_text(w.speedup, w.low, w.high));
    at_y += row;
  }
  return out + line(x(1), 4, x(1), at_y + 2, "baseline") + text(x(1), at_y + 16, "middle", "baseline 1x") +
         "</svg>";
}

} // namespace ke::cli
