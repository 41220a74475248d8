#include "runtime/core/image.hpp"
#include "runtime/search/policy/answer_kinds.hpp"
#include "runtime/search/policy/cells.hpp"
#include "tests/search/driven_core.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <set>

using namespace ke;

namespace {

campaign_settings measured_cells(std::vector<std::string> axes) {
  campaign_settings s;
  s.seed = 3;
  s.models.emplace_back().name = "m";
  s.targets.emplace_back();
  s.search.policy = policy_kind::evolution;
  s.search.drafts = 4;
  s.search.cells = std::move(axes);
  return s;
}

void judge_measured(search_tree& core, std::uint32_t node, double score, const std::string& bottleneck,
                    std::optional<double> share) {
  journal_judged j{0, node, 0, verdict_state::correct, timing_decision::none, score};
  j.bottleneck = bottleneck;
  j.roofline = share;
  REQUIRE(core.apply(j));
}

} // namespace

TEST_CASE("what was not measured has a bin of its own on each axis, and edges are fixed") {
  CHECK(bins_of("", std::nullopt) == 0);
  CHECK(bins_of("memory", std::nullopt) == 1);
  CHECK(bins_of("overhead", std::nullopt) == 6);
  CHECK(bins_of("a new one", std::nullopt) == 7);
  CHECK(bins_of("", 0.0) == 1 << 8);
  CHECK(bins_of("", 0.05) == 2 << 8);
  CHECK(bins_of("compute", 0.9) == (6 << 8 | 2));
  CHECK(bin_of_score(-1) == 0);
  CHECK(bin_of_score(1) == bin_of_score(1.4));
  CHECK(bin_of_score(1) + 1 == bin_of_score(1.5));
  CHECK(bin_of_score(1e-9) == 1);
  CHECK(bin_of_score(1e9) == bin_of_score(1e6));
}

TEST_CASE("candidates of one kind lie in different cells where an axis is measured") {
  auto core = core_of(measured_cells({"kind", "bottleneck"}));
  auto made = core.step(4);
  REQUIRE(made.size() == 4);
  judge_measured(core, made[0].node, 1.5, "memory", 0.3);
  judge_measured(core, made[1].node, 2.0, "memory", 0.8);
  judge_measured(core, made[2].node, 1.2, "latency", {});
  judge_measured(core, made[3].node, 1.1, "", {});
  const auto& tree = core.tree();
  auto cell = [&](std::size_t n, std::vector<std::string> axes) { return cell_of(tree, made[n].node, axes); };
  CHECK_FALSE(cell(0, {"kind"})); // its kind is not known
  CHECK(cell(0, {"bottleneck"}) == cell(1, {"bottleneck"}));
  CHECK(cell(0, {"bottleneck", "roofline"}) != cell(1, {"bottleneck", "roofline"}));
  std::set<std::optional<std::uint32_t>> cells{cell(0, {"bottleneck"}), cell(2, {"bottleneck"}),
                                               cell(3, {"bottleneck"})};
  CHECK(cells.size() == 3);
  CHECK(cell(0, {"score"}) != cell(1, {"score"}));
}

TEST_CASE(
    "a tree with measured cells is the same after its image and after its records, and takes other axes") {
  std::array<const char*, 4> limits{"memory", "compute", "latency", ""};
  auto s = measured_cells({"bottleneck", "roofline", "score"});
  auto core = core_of(s), again = core_of(s);
  for (std::uint32_t i = 0; i < 120; ++i) {
    if (i == 60) {
      s.search.cells = {"kind", "score"};
      REQUIRE(core.configure(s));
      image_writer out;
      again.save(out);
      auto bytes = out.take();
      image_reader in{bytes};
      auto loaded = search_tree::load(in, measured_cells({"bottleneck", "roofline", "score"}));
      REQUIRE(loaded);
      again = std::move(*loaded);
      REQUIRE(again.configure(s));
    }
    auto a = core.step(1), b = again.step(1);
    REQUIRE(a.size() == 1);
    REQUIRE(b.size() == 1);
    REQUIRE(a[0].parent == b[0].parent);
    auto score = 1 + (i * 7 % 11) / 4.0;
    judge_measured(core, a[0].node, score, limits[i % 4], 0.1 * (i % 9));
    judge_measured(again, a[0].node, score, limits[i % 4], 0.1 * (i % 9));
  }
  CHECK(core.hash() == again.hash());
}

TEST_CASE("the form of an answer is drawn by the node's seed in the shares of the settings") {
  search_settings s;
  CHECK(answer_kind_of(s, operation_kind::improve, 1) == answer_kind::any);
  s.edits = 0.6;
  s.rewrites = 0.3;
  std::array<int, 3> counts{};
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    auto kind = answer_kind_of(s, operation_kind::improve, seed);
    REQUIRE(kind == answer_kind_of(s, operation_kind::improve, seed));
    ++counts[static_cast<std::size_t>(kind)];
  }
  CHECK(counts[1] == Approx(6000).margin(200));
  CHECK(counts[2] == Approx(3000).margin(200));
  CHECK(answer_kind_of(s, operation_kind::draft, 1) == answer_kind::any);
  CHECK(answer_kind_of(s, operation_kind::tune, 1) == answer_kind::any);
}
