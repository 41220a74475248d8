#include "knowledge/library/retrieval.hpp"
#include "knowledge/prompt/remedies.hpp"
#include "tests/knowledge/labelled_signals.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

using namespace ke;
namespace fs = std::filesystem;

namespace {

const document_set& shipped() {
  static const document_set all = read_embedded();
  return all;
}

} // namespace

TEST_CASE("every document of the program is right") {
  auto all = shipped().findings;
  auto more = cross_findings(shipped().documents);
  all.insert(all.end(), more.begin(), more.end());
  for (const auto& f : all)
    UNSCOPED_INFO(to_line(f));
  CHECK(all.empty());
}

TEST_CASE("the program holds the documents of the source tree") {
  auto tree = read_folder(std::string{ke::test::source_dir()} + "/knowledge");
  REQUIRE(tree);
  REQUIRE(tree->documents.size() == shipped().documents.size());
  for (const auto& d : tree->documents) {
    auto same = std::find_if(shipped().documents.begin(), shipped().documents.end(),
                             [&](const document& e) { return e.id == d.id; });
    REQUIRE(same != shipped().documents.end());
    CHECK(same->body == d.body);
    CHECK(same->path == "knowledge/" + d.id + ".md");
  }
}

TEST_CASE("there are a hundred documents, and each target has its own") {
  corpus c{shipped().documents};
  CHECK(c.documents().size() >= 100);
  for (const auto& target : known_targets()) {
    INFO(target);
    auto own = std::count_if(c.documents().begin(), c.documents().end(), [&](const document& d) {
      return d.kind == document_kind::hardware &&
             std::any_of(d.targets.begin(), d.targets.end(),
                         [&](const auto& t) { return glob_matches(t, target); });
    });
    CHECK(own >= 5);
    CHECK_FALSE(constraints_for(c, {.family = "matmul", .dtypes = {"f32"}, .targets = {target}}).empty());
  }
}

TEST_CASE("Bug: kernels of a GPU were told of vector registers and caches of a CPU") {
  corpus c{shipped().documents};
  for (const auto& [target, language] :
       {std::pair{"nvidia-h200", "triton"}, {"nvidia-h200", "python"}, {"nvidia-h200", "cuda"}})
    for (const auto& family :
         {"softmax", "norm", "matmul", "conv", "attention", "elementwise", "reduction"}) {
      signal_query q{
          .family = family, .dtypes = {"f32"}, .targets = {target}, .language = language, .level = 3};
      auto all = admitted(c, q);
      CHECK(all.size() > 25);
      for (const auto* d : all)
        if (d->kind == document_kind::guidance && !d->id.starts_with("guidance/debugging/")) {
          INFO(language << ' ' << family << ' '
                        << d->id); // what debugging pages say of other languages is beside their point
          for (const auto* word : {"AVX", "SSE", "std::", "_mm", "libgomp", "OpenMP", "#pragma", "L1"})
            CHECK(d->body.find(word) == std::string::npos);
        }
    }
}

TEST_CASE("knowledge/index.md lists the documents as they are") {
  std::ifstream in{std::string{ke::test::source_dir()} + "/knowledge/index.md"};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  auto same = text == index_text(corpus{shipped().documents}.documents());
  INFO("build/release/ke-runtime knowledge show > knowledge/index.md writes it");
  CHECK(same);
}

TEST_CASE("what is labelled as relevant is found among the first five") {
  auto labelled = ke::test::labelled_signals();
  REQUIRE(labelled.size() >= 60);
  corpus c{shipped().documents};
  double recall = 0, rank = 0;
  for (const auto& l : labelled) {
    for (const auto& id : l.relevant) {
      INFO(l.name << ": " << id);
      CHECK(c.find(id));
    }
    auto m = ke::test::measure(c, l);
    UNSCOPED_INFO(l.name << ": recall@5 " << m.recall << ", first at rank "
                         << (m.reciprocal_rank > 0 ? 1 / m.reciprocal_rank : 0));
    recall += m.recall / static_cast<double>(labelled.size());
    rank += m.reciprocal_rank / static_cast<double>(labelled.size());
  }
  // The goals; the bench (retrieval_bench --misses) shows what is missed. 0.87 and 0.85 when the weights were
  // set.
  CHECK(recall >= 0.8);
  CHECK(rank >= 0.7);
}

TEST_CASE("what a GPU's profiler, compiler or judge says brings the pages that are labelled for it") {
  auto labelled = ke::test::labelled_signals(ke::test::signals_of_gpus);
  REQUIRE(labelled.size() >= 60);
  corpus c{shipped().documents};
  ke::test::quality_sum all, held_out;
  for (const auto& l : labelled) {
    for (const auto& id : l.relevant) {
      INFO(l.name << ": " << id);
      CHECK(c.find(id));
    }
    auto m = ke::test::measure(c, l);
    all.add(m);
    if (l.held_out)
      held_out.add(m);
    else // those held out are not told one by one: nobody is to mend a page for one of them
      UNSCOPED_INFO(l.name << ": recall@5 " << m.recall);
  }
  REQUIRE(held_out.of >= 20);
  INFO("recall@5 " << all.mean_recall() << ", of those held out " << held_out.mean_recall());
  CHECK(all.mean_recall() >= 0.85);
  CHECK(held_out.mean_recall() >= 0.8); // 0.83 when written
}

TEST_CASE("a cause that a page is for is one that diagnoses name") {
  for (const auto& d : shipped().documents)
    for (const auto& cause : d.signals.cause) {
      INFO(d.id << ": " << cause);
      CHECK_FALSE(remedy_of(cause).empty());
    }
}

TEST_CASE("Bug: the cause of a diagnosis brought no page") {
  corpus c{shipped().documents};
  signal_query q{.bottleneck = "memory",
                 .family = "transpose",
                 .dtypes = {"f32"},
                 .targets = {"nvidia-h200"},
                 .language = "cuda",
                 .level = 2,
                 .with_constraints = false};
  for (auto [cause, id] : {std::pair{"uncoalesced", "hardware/nvidia-hopper/coalescing-and-sectors"},
                           {"bank_conflicts", "hardware/nvidia-hopper/shared-memory-banks-and-swizzle"},
                           {"bandwidth", "hardware/nvidia-hopper/hbm-and-l2-budget"}}) {
    q.cause = cause;
    auto found = retrieve(c, q, 4);
    INFO(cause);
    CHECK(std::any_of(found.begin(), found.end(), [&](const auto& r) { return r.document->id == id; }));
  }
}
