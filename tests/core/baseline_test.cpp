#include "runtime/core/baseline.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/settings.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

problem in_language(const std::string& language) {
  problem p;
  p.name = "scale";
  p.reference_language = language;
  p.files["weights.npy"] = "numbers";
  return p;
}

goal_settings compared_with(baseline_kind kind) {
  goal_settings g;
  g.baseline = kind;
  return g;
}

} // namespace

TEST_CASE("a problem carries its baseline, and another one makes it another problem") {
  auto plain = in_language("c++"), what = plain;
  CHECK_FALSE(baseline_of(what));
  CHECK(baseline_name(what) == "reference");
  set_baseline(what, {"best-known", "void kernel() {}"});
  REQUIRE(baseline_of(what));
  CHECK(baseline_of(what)->source == "void kernel() {}");
  auto first = digest_of(pack(what));
  CHECK(first != digest_of(pack(plain)));
  set_baseline(what, {"file:production.cpp", "void kernel() {}"});
  CHECK(baseline_name(what) == "file:production.cpp"); // in place of the other
  CHECK(digest_of(pack(what)) != first);
  CHECK(what.files.size() == 2);
  CHECK(without_baseline(what) == plain);
}

TEST_CASE("settings and problem must name one baseline") {
  auto plain = in_language("c++"), file = plain, eager = in_language("python"), empty = plain;
  set_baseline(file, {"file:production.cpp", "void kernel() {}"});
  set_baseline(eager, {"eager", ""});
  set_baseline(empty, {"best-known", ""});
  CHECK(baseline_agrees(compared_with(baseline_kind::reference), plain));
  CHECK(baseline_agrees(compared_with(baseline_kind::file), file));
  CHECK(baseline_agrees(compared_with(baseline_kind::eager), eager));
  CHECK_FALSE(baseline_agrees(compared_with(baseline_kind::reference), file));
  CHECK_FALSE(baseline_agrees(compared_with(baseline_kind::file), plain));
  CHECK_FALSE(baseline_agrees(compared_with(baseline_kind::best_known), file));
  CHECK_FALSE(baseline_agrees(compared_with(baseline_kind::best_known), empty));
}

TEST_CASE("a baseline that no backend of the problem's language has is told with what to use instead") {
  CHECK(baseline_lacks(compared_with(baseline_kind::reference), in_language("c++")).empty());
  CHECK(baseline_lacks(compared_with(baseline_kind::best_known), in_language("c++")).empty());
  CHECK(baseline_lacks(compared_with(baseline_kind::file), in_language("python")).empty());
  CHECK(baseline_lacks(compared_with(baseline_kind::eager), in_language("python")).empty());
  CHECK(baseline_lacks(compared_with(baseline_kind::compile), in_language("python")).empty());
  for (auto kind : {baseline_kind::eager, baseline_kind::compile})
    CHECK(baseline_lacks(compared_with(kind), in_language("c++")).find("use \"reference\"") !=
          std::string::npos);
}

TEST_CASE("a reference through torch.compile is a source that a candidate could be") {
  auto kernelbench = in_language("python");
  kernelbench.reference = "from __future__ import annotations\nclass Model:\n    pass";
  auto b = compiled_reference(kernelbench);
  CHECK(b.name == "torch.compile");
  CHECK(is_compiled(b));
  CHECK_FALSE(is_compiled(baseline{"file:torch.compile", b.source}));
  CHECK(b.source.starts_with(kernelbench.reference + "\n")); // lines keep their numbers
  CHECK(b.source.ends_with(
      "def ModelNew(*arguments):\n    return _torch.compile(Model(*arguments), dynamic=False)\n"));

  auto function = in_language("python");
  function.reference = "def reference(x, n):\n    return x * n\n";
  function.tensors.resize(2);
  function.scalars.push_back({"n", true, 3, {}});
  CHECK(compiled_reference(function).source.ends_with("kernel = _torch.compile(reference, dynamic=False)\n"));
  function.scalars[0].range = {1, 9}; // another number in each call: not another program for each
  CHECK(compiled_reference(function).source.ends_with("kernel = _torch.compile(reference)\n"));

  auto what = function;
  set_baseline(what, compiled_reference(function));
  CHECK(baseline_agrees(compared_with(baseline_kind::compile), what));
  CHECK_FALSE(baseline_agrees(compared_with(baseline_kind::compile), function));
  CHECK_FALSE(baseline_agrees(compared_with(baseline_kind::reference), what));
}
