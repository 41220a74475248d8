#include "runtime/core/problem.hpp"
#include "runtime/core/solution.hpp"

#include "runtime/core/codec.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

problem of_shape(std::int64_t m, std::int64_t n) {
  problem p;
  p.name = "rows";
  p.family = "Softmax";
  p.dims = {"M", "N"};
  tensor_spec x, y;
  y.role = tensor_role::out;
  y.dtype = dtype::f64;
  p.tensors = {y, x};
  p.workloads = {{"main", {{"M", m}, {"N", n}}, 1.0, false}, {"odd", {{"M", 3}, {"N", 5}}, 1.0, true}};
  return p;
}

solution_row solution(const std::string& source, solution_place place, double score = 2,
                      bool claimed = false) {
  solution_row r;
  r.place = std::move(place);
  r.source_digest = source;
  r.score = score;
  r.claimed = claimed;
  r.store = "s";
  r.node.node = static_cast<std::uint32_t>(source[0]);
  return r;
}

std::string names(const std::vector<near_solution>& all) {
  std::string text;
  for (const auto& n : all)
    text += n.row.source_digest;
  return text;
}

} // namespace

TEST_CASE("a problem's place: operator, type of its first input, and log2 of each dimension") {
  auto p = of_shape(512, 4096);
  p.workloads.push_back({"second", {{"M", 2048}, {"N", 4096}}, 1.0, false});
  auto place = place_of(p, "cpu-cpp", "cpu:x");
  CHECK(place.family == "softmax");
  CHECK(place.dtype == "f32");
  CHECK(place.dims == std::vector<std::string>{"M", "N"});
  REQUIRE(place.log2_dims.size() == 2);
  CHECK(place.log2_dims[0] == Approx(10)); // the geometric mean of 512 and 2048; held-out ones don't count
  CHECK(place.log2_dims[1] == Approx(12));
  p.family.clear();
  CHECK(place_of(p, "cpu-cpp", "").family == "rows");
}

TEST_CASE("the nearest solution: family before type before target before shape, then claims and score") {
  auto here = place_of(of_shape(512, 4096), "cpu-cpp", "cpu:x");
  auto other_family = here, other_type = here, other_device = here, other_backend = here;
  other_family.family = "matmul";
  other_type.dtype = "f16";
  other_device.device = "cpu:y";
  other_backend.backend = "opencl";
  auto near = place_of(of_shape(1024, 4096), "cpu-cpp", "cpu:x");
  auto far = place_of(of_shape(512, 65536), "cpu-cpp", "cpu:x");
  std::vector<solution_row> rows{
      solution("h", other_family, 9), solution("g", other_type, 9), solution("f", other_backend, 9),
      solution("e", other_device, 9), solution("d", far, 9),        solution("c", near, 9),
      solution("b", here, 3),         solution("a", here, 2, true), solution("z", here, 4)};
  CHECK(names(nearest_solutions(rows, here, 100)) == "azbcdefgh");
  CHECK(names(nearest_solutions(rows, here, 3)) == "azb");
  CHECK(nearest_solutions(rows, here, 0).empty());
  auto first = nearest_solutions(rows, here, 9);
  CHECK(first[3].distance.shape == Approx(0.5));
  CHECK(first[8].distance.other_family);
  auto anywhere = here;
  anywhere.device.clear();
  CHECK(names(nearest_solutions({solution("e", other_device)}, anywhere, 1)) == "e");
  CHECK(distance(other_device, anywhere).target == 0);
}

TEST_CASE("what a claim has refuted is no solution, and a source counts once") {
  auto here = place_of(of_shape(512, 4096), "cpu-cpp", "cpu:x");
  auto far = place_of(of_shape(64, 64), "cpu-cpp", "cpu:x");
  auto untimed = solution("u", here, 0);
  untimed.timed = false;
  std::vector<solution_row> rows{solution("r", here, 0, true), solution("s", here), solution("s", far),
                                 untimed};
  CHECK(names(nearest_solutions(rows, here, 9)) == "su");
}

TEST_CASE("another number of dimensions is far, whatever the sizes") {
  auto two = place_of(of_shape(512, 4096), "cpu-cpp", "cpu:x");
  auto one = two;
  one.dims = {"N"};
  one.log2_dims = {21};
  CHECK(distance(one, two).shape >= 4);
  CHECK(distance(one, two).shape == distance(two, one).shape);
}

TEST_CASE("a key holds family, type, bucket, target and origin; the origin tells nodes apart") {
  auto a = solution("a", place_of(of_shape(512, 4096), "cpu-cpp", "cpu:AMD EPYC/7"));
  auto key = key_of(a);
  CHECK(key.starts_with(solution_prefix("softmax") + "f32/9.12/cpu-cpp/cpu:AMD_EPYC_7/"));
  auto b = a;
  b.score = 7; // the same node, measured again
  CHECK(key_of(b) == key);
  b.node.node = 99;
  CHECK(key_of(b) != key);
  b = a;
  b.store = "t";
  CHECK(key_of(b) != key);
  a.place.family = std::string(1000, 'x');
  a.place.device = std::string(1000, 'y');
  a.place.log2_dims.assign(100, 20);
  CHECK(key_of(a).size() <= 511);
}

TEST_CASE("of two measurements of one node the later counts, whichever is seen first") {
  auto a = solution("a", {}), b = solution("a", {}, 3);
  a.measured_unix_ms = 1;
  b.measured_unix_ms = 2;
  CHECK(newer_of(a, b).score == 3);
  CHECK(newer_of(b, a).score == 3);
  b.measured_unix_ms = 1;
  CHECK(newer_of(a, b) == newer_of(b, a));
}

TEST_CASE("what was proven over an earlier solution is worth that one's speedup times its own") {
  auto here = place_of(of_shape(512, 4096), "cpu-cpp", "cpu:x");
  std::vector<solution_row> rows{solution("a", here, 3, true), solution("b", here, 1.5, true),
                                 solution("c", here, 1.2, true), solution("d", here, 4, true)};
  rows[1].baseline = rows[2].baseline = "best-known";
  rows[1].baseline_digest = "a";
  rows[2].baseline_digest = "b";
  rows[3].baseline = "file:production.cpp"; // nobody knows what that is worth
  rows[3].baseline_digest = "p";
  CHECK(score_over_reference(rows[0], rows) == 3.0);
  CHECK(*score_over_reference(rows[2], rows) == Approx(3 * 1.5 * 1.2));
  CHECK_FALSE(score_over_reference(rows[3], rows));
  CHECK(names(nearest_solutions(rows, here, 9)) == "cbad");
  rows[0].baseline_digest = "c"; // a circle, as only a damaged store holds one
  CHECK_FALSE(score_over_reference(rows[2], rows));
  auto again = unpack<solution_row>(pack(rows[1]));
  REQUIRE(again);
  CHECK(*again == rows[1]);
}
