#include "interface/cli/winner_export.hpp"

#include "backends/evaluation/backend.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "config/problem_folder.hpp"
#include "interface/cli/claim_text.hpp"
#include "interface/cli/figures.hpp"
#include "interface/cli/foreign_text.hpp"
#include "interface/cli/output_file.hpp"
#include "interface/cli/shape_bests.hpp"
#include "runtime/core/baseline.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/llm/answer_form.hpp"
#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace ke::cli {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

std::string pretty(const json& j) {
  return j.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string quoted(const std::string& text) {
  return json_line(json(text));
} // also a TOML string

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& n : names)
    text += (text.empty() ? "" : ", ") + quoted(n);
  return "[" + text + "]";
}

/// The operator in the words of problem.toml, for a header's comment.
std::string problem_text(const problem& p) {
  std::string t = "[problem]\nname = " + quoted(p.name) + "\nfamily = " + quoted(p.family) +
                  "\ndims = " + list_of(p.dims) + "\n";
  for (const auto& x : p.tensors)
    t += "\n[[tensor]]\nname = " + quoted(x.name) + "\nrole = " + quoted(std::string{to_text(x.role)}) +
         "\ndtype = " + quoted(std::string{to_text(x.dtype)}) + "\nshape = " + list_of(x.shape) + "\n";
  for (const auto& s : p.scalars)
    t += "\n[[scalar]]\nname = " + quoted(s.name) + "\ntype = " + (s.integer ? "\"int64_t\"" : "\"double\"") +
         "\n";
  t += "\n[policy]\nvendor_libraries = " + std::string{p.policy.vendor_libraries ? "true" : "false"} +
       "\nthreads = " + std::to_string(p.policy.threads) +
       "\nfast_math = " + (p.policy.fast_math ? "true" : "false") + "\n";
  return t;
}

std::string commented(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find('\n', at), text.size());
    auto line = text.substr(at, end - at);
    out += line.empty() ? "//\n" : "// " + line + "\n";
    at = end + 1;
  }
  return out;
}

bool is_native(const std::string& suffix) {
  return suffix == ".cpp" || suffix == ".c" || suffix == ".cc";
}

std::string header_of(const problem& p) {
  return "// Signature of the kernel. The operator, as its problem file describes it:\n//\n" +
         commented(problem_text(p)) +
         "//\n// Tensors are contiguous and row-major; f16 is _Float16, bf16 is uint16_t bits, f8e4m3 and "
         "f8e5m2 "
         "are\n// uint8_t bits, bool is uint8_t.\n#pragma once\n\n#include <cstdint>\n\n" +
         native_signature(p) + ";\n";
}

std::string fact(const verdict& v, const char* key) {
  auto at = v.provenance.find(key);
  return at == v.provenance.end() ? std::string{} : at->second;
}

/// What `eval FOLDER` must know, too.
struct exported_names {
  std::string kernel, problem, baseline;
  bool claimed = false;
};

/// How fast, where, by what.
std::string readme_table(const node_view& n, const verdict& v) {
  std::string t = "| | |\n| --- | --- |\n";
  t += v.timing ? "| speedup " + markdown_cell(over_text(v)) + " | " + speedup_text(v, n.score) +
                      " (95% interval) |\n| median time | " + markdown_cell(medians_text(*v.timing)) + " |\n"
                : "| speed | not timed |\n";
  if (v.timing && v.timing->workloads.size() > 1)
    for (const auto& w : v.timing->workloads)
      t += "| " + markdown_cell(w.name) + (w.held_out ? " (held out)" : "") + " | " +
           speedup_text(w.speedup, w.low, w.high) + ", " + markdown_cell(medians_text(w)) + " |\n";
  t += "| measured on | " + markdown_cell(v.device) + " |\n| checked | " + std::to_string(v.cases) +
       " cases and " + std::to_string(v.timed_calls_checked) + " timed calls |\n";
  if (auto compiler = fact(v, provenance_keys::compiler); !compiler.empty())
    t += "| compiler | " + markdown_cell(compiler, 100) + " |\n| flags | " +
         markdown_cell(fact(v, provenance_keys::flags), 500) + " |\n";
  return t;
}

std::string readme_of(const campaign_view& c, const node_view& n, const verdict& v,
                      const exported_names& names, std::size_t version, bool native) {
  std::string t = (names.claimed ? "# " : "# Unclaimed: ") + markdown_cell(c.problem().name) +
                  (v.timing ? ", optimised for " : ", for ") + markdown_cell(v.backend) + "\n\n";
  t += "Winner number " + std::to_string(version) + " of campaign " + markdown_cell(c.name()) + ", node " +
       std::to_string(n.id) + ".\n\n";
  t += readme_table(n, v);
  if (auto shapes = dispatcher_text(c, n); !shapes.empty())
    t += "\nIt is one source put together from several kernels of the campaign, which chooses by the shape; "
         "judged and measured as a whole. Its source begins with the extents. " +
         markdown_cell(shapes, 2000) + ".\n";
  const auto& held = c.problem().workloads;
  bool apart = std::any_of(held.begin(), held.end(), [](const workload& w) { return w.held_out; });
  t += std::string{"\n"} +
       (!names.claimed
            ? "The figures are the search's own measurement; they were not measured again for a claim."
        : v.timing ? "The figures were measured again for the claim, with fresh inputs in fresh processes."
                   : "It was checked again for the claim, with fresh inputs in fresh processes.") +
       (names.claimed && apart && v.timing
            ? " Held-out workloads are measured and listed, and no part of the speedup.\n\n"
            : "\n\n");
  if (const auto* claim = c.claim_on(n.key); claim && claim->validated())
    t += "Second device: " + markdown_cell(second_device_text(*claim, c.settings().goal.timed)) + ".\n\n";
  t += "- `" + names.kernel + "`: the kernel\n";
  if (native)
    t += "- `kernel.h`: its signature\n- `build.sh`, `Makefile`: the recipe it was measured with\n";
  if (!names.baseline.empty())
    t += "- `" + names.baseline + "`: what the times were compared with\n";
  t += "- `" + names.problem +
       "`: the problem, whole: `ke-runtime eval .` in this folder judges the kernel again, by the plan of a "
       "claim\n- `verdict.json`: the measurement with its "
       "evidence\n"
       "- `provenance.json`: where it comes from\n- `MANIFEST`: digests of all files; `b2sum -l 256 -c "
       "MANIFEST` verifies them\n\n"
       "`ke-runtime export best --previous -o DIR` goes back to the winner before this one.\n";
  return t;
}

std::string winner_provenance(const campaign_view& c, const node_view& n, const verdict& v,
                              const exported_names& names, std::size_t version) {
  json j = {{"campaign", c.name()},
            {"store", c.store().id()},
            {"node", n.id},
            {"version", version},
            {"kernel", names.kernel},
            {"problem_file", names.problem},
            {"baseline", baseline_name(c.problem())},
            {"baseline_file", names.baseline},
            {"claimed", names.claimed},
            {"seed", c.settings().seed},
            {"backend", c.fold().trees()[n.key.tree].backend()},
            {"device", v.device},
            {"model", n.row.model},
            {"prompt", n.row.prompt_digest},
            {"answer", n.row.reply_digest},
            {"source", n.row.source_digest},
            {"problem", v.problem},
            {"verdict", n.row.verdict_digests.empty() ? "" : n.row.verdict_digests.front()},
            {"dispatcher", dispatcher_text(c, n)},
            {"written_by", c.fold().books().version()},
            {"measured_with", v.provenance}};
  return pretty(j);
}

std::string bytes_of_file(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// What compiles the kernel: the flags of the backend as it stands in the sources of this program. Those that
/// a worker told are its words; they are in provenance.json and part of no command.
struct recipe {
  std::vector<std::string> before{"-std=c++20", "-O3", "-march=native", "-fopenmp", "-fPIC", "-shared"};
  std::vector<std::string> after;
  fs::path folder; ///< of the backend; empty: it is not one of ours
};

recipe recipe_of(const std::string& backend_name, const problem& p) {
  recipe r;
  auto all = load_backends(built_in_backends(), {});
  auto with = all ? find_backend(*all, backend_name) : result<backend>{all.error()};
  if (!with)
    return r;
  r.before = with->flags;
  if (p.policy.fast_math)
    r.before.insert(r.before.end(), with->fast_math_flags.begin(), with->fast_math_flags.end());
  if (p.policy.vendor_libraries)
    r.after = with->vendor_flags;
  r.folder = with->folder;
  return r;
}

void add_build(folder_files& files, const recipe& r, const problem& p, const std::string& source,
               const std::string& text) {
  files["kernel.h"] = header_of(p);
  auto command = [&](std::string (*word)(std::string_view), const std::string& output) {
    std::string line;
    for (const auto& w : r.before)
      line += word(w) + " ";
    line += "-I. " + source + " -o " + output;
    for (const auto& w : r.after)
      line += " " + word(w);
    return line;
  };
  files["build.sh"] =
      "#!/bin/sh\n# The recipe with which the kernel was measured.\nset -e\ncd \"$(dirname \"$0\")\"\n"
      "\"${CXX:-g++}\" " +
      command(shell_word, "kernel.so") + "\n";
  files["Makefile"] = "CXX ?= g++\n\nkernel.so: " + source + " kernel.h\n\t$(CXX) " +
                      command(recipe_word, "$@") + "\n\nclean:\n\trm -f kernel.so\n\n.PHONY: clean\n";
  if (text.find("ke.h") != std::string::npos && !r.folder.empty()) {
    auto header = bytes_of_file(r.folder / "ke.h");
    if (!header.empty())
      files["ke.h"] = header;
  }
}

/// Nobody takes a winner that was not measured again for one that was.
std::string unclaimed(std::string dir) {
  while (dir.size() > 1 && dir.back() == '/')
    dir.pop_back();
  return (dir == "." ? fs::current_path().string() : dir) + "-unclaimed";
}

/// The folder of a campaign's exports below its store; a campaign's name may hold anything.
fs::path exports_of(const campaign_view& c) {
  std::string name;
  for (char x : c.name())
    name += std::isalnum(static_cast<unsigned char>(x)) || x == '-' || x == '_' || (x == '.' && !name.empty())
                ? x
                : '_';
  return fs::path{c.store().dir()} / "exports" / (name + "-" + std::to_string(c.id()));
}

} // namespace

result<folder_files> export_of(const campaign_view& c, const node_view& n, std::size_t version) {
  auto source = c.source_of(n);
  if (!source)
    return source.error();
  auto v = c.claimed_verdict(n.key);
  exported_names names;
  names.claimed = v.has_value();
  if (!v)
    v = c.verdict_of(n);
  if (!v)
    return failure{failure_kind::corrupt, "the verdict of node " + std::to_string(n.id) +
                                              " can't be read: run `ke-runtime store check`"};
  const auto& on = c.fold().trees()[n.key.tree].backend();
  auto suffix = source_suffix(c, n);
  auto whole = folder_of(c.problem());
  names.problem = whole.main;
  names.kernel = (whole.files.contains("kernel" + suffix) ? "winner" : "kernel") + suffix;
  folder_files files = std::move(whole.files);
  files[names.kernel] = *source;
  if (auto b = baseline_of(c.problem()); b && !b->source.empty()) {
    names.baseline = (files.contains("baseline" + suffix) ? "compared-with" : "baseline") + suffix;
    files[names.baseline] = b->source;
  }
  if (is_native(suffix))
    add_build(files, recipe_of(on, c.problem()), c.problem(), names.kernel, *source);
  files["verdict.json"] = pretty(json::parse(verdict_json(*v)));
  files["provenance.json"] = winner_provenance(c, n, *v, names, version);
  files["README.md"] = readme_of(c, n, *v, names, version, is_native(suffix));
  return files;
}

namespace {

/// The version before the one that was exported last; 0: there is none.
std::size_t version_before(const std::string& active_file, std::size_t newest) {
  auto active = std::strtoull(bytes_of_file(active_file).c_str(), nullptr, 10);
  auto version = active == 0 || active > newest ? newest : active;
  return version > 0 ? version - 1 : 0;
}

/// Whether the folders hold nothing, or an export of ours.
status may_be_written(const std::string& kept, const std::string& dir, const folder_files& files) {
  for (const auto& [folder, complete] : {std::pair{kept, true}, std::pair{dir, false}}) {
    auto sound = verify_folder(folder, complete);
    if (!sound && sound.error().kind != failure_kind::not_found)
      return sound.error();
    if (sound || folder == kept)
      continue;
    for (const auto& [name, content] : files) // not an export of ours: nothing of it is lost
      if (auto file = fs::path{dir} / name; fs::exists(file) && bytes_of_file(file) != content)
        return failure{failure_kind::invalid,
                       file.string() +
                           " exists already and is not part of an export: give another folder with -o"};
  }
  return ok;
}

} // namespace

result<exported> export_winner(const campaign_view& c, const std::string& asked, bool previous) {
  auto chain = winners_of(c);
  if (!chain)
    return chain.error();
  auto winners = proven_of(std::move(*chain));
  auto home = exports_of(c);
  auto active_file = (home / "ACTIVE").string(); // number of the version that was exported last
  auto version = previous ? version_before(active_file, winners.size()) : winners.size();
  if (version == 0)
    return failure{failure_kind::not_found,
                   "campaign " + c.name() +
                       (previous ? " has no winner before the one that was exported last"
                                 : " has no kernel that is proven to be faster than its baseline")};
  auto n = c.node(winners[version - 1].node);
  if (!n)
    return n.error();
  auto files = export_of(c, *n, version);
  if (!files)
    return files.error();
  auto claimed = c.claimed_verdict(n->key).has_value();
  auto dir = claimed ? asked : unclaimed(asked);
  auto kept = (home / std::to_string(version)).string();
  if (auto free = may_be_written(kept, dir, *files); !free)
    return free.error();
  if (auto done = write_folder(kept, *files); !done)
    return done.error();
  if (auto done = write_folder(dir, *files); !done)
    return done.error();
  if (auto done = write_output(active_file, std::to_string(version) + "\n"); !done)
    return done.error();
  return exported{version, n->id, dir, claimed};
}

} // namespace ke::cli
