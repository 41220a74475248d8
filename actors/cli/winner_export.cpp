#include "actors/cli/winner_export.hpp"

#include "actors/cli/figures.hpp"
#include "actors/cli/output_file.hpp"
#include "backends/backend.hpp"
#include "backends/verdict.hpp"
#include "knowledge/answer_form.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <cstring>
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
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
} // also a TOML string

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& n : names)
    text += (text.empty() ? "" : ", ") + quoted(n);
  return "[" + text + "]";
}

/// The problem in the words of problem.toml, without the reference.
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
         "//\n// Tensors are contiguous and row-major; f16 is _Float16, bf16 is uint16_t bits, bool is "
         "uint8_t.\n#pragma once\n\n#include <cstdint>\n\n" +
         native_signature(p) + ";\n";
}

/// Words that a shell passes on as they are.
std::string shell_words(const std::string& flags) {
  std::string out;
  for (char c : flags)
    out += std::isalnum(static_cast<unsigned char>(c)) || std::strchr(" -_=,.+/:", c) ? std::string{c}
                                                                                      : "\\" + std::string{c};
  return out;
}

std::string fact(const verdict& v, const char* key) {
  auto at = v.provenance.find(key);
  return at == v.provenance.end() ? std::string{} : at->second;
}

std::string readme_of(const campaign_view& c, const node_view& n, const verdict& v, const std::string& source,
                      std::size_t version, bool native) {
  std::string t = "# " + c.problem().name + ", optimised for " + v.backend + "\n\n";
  t += "Winner number " + std::to_string(version) + " of campaign `" + c.name() + "`, node " +
       std::to_string(n.id) + ".\n\n";
  t += "| | |\n| --- | --- |\n";
  t += "| speedup over the baseline | " + speedup_text(v, n.score) + " (95% interval) |\n";
  if (v.timing)
    t += "| median time | " + nanoseconds_text(v.timing->reference_ns) + " -> " +
         nanoseconds_text(v.timing->candidate_ns) + " |\n";
  t += "| measured on | " + v.device + " |\n| checked | " + std::to_string(v.cases) + " cases and " +
       std::to_string(v.timed_calls_checked) + " timed calls |\n";
  if (auto compiler = fact(v, "compiler"); !compiler.empty())
    t += "| compiler | " + first_line(compiler, 100) + " |\n| flags | `" + fact(v, "flags") + "` |\n";
  t += c.claimed_verdict(n.key)
           ? "\nThe figures were measured again for the claim, with fresh inputs in fresh "
             "processes, held-out workloads included.\n\n"
           : "\nThe figures are the search's own measurement; they were not measured "
             "again for a claim.\n\n";
  t += "- `" + source + "`: the kernel\n";
  if (native)
    t += "- `kernel.h`: its signature\n- `build.sh`, `Makefile`: the recipe it was measured with\n";
  t += "- `problem.toml`: the operator's tensors and policy\n- `verdict.json`: the measurement with its "
       "evidence\n"
       "- `provenance.json`: where it comes from\n- `MANIFEST`: digests of all files; `b2sum -l 256 -c "
       "MANIFEST` verifies them\n\n"
       "`ke-runtime export best --previous -o DIR` goes back to the winner before this one.\n";
  return t;
}

std::string provenance_of(const campaign_view& c, const node_view& n, const verdict& v, std::size_t version) {
  json j = {{"campaign", c.name()},
            {"store", c.store().id()},
            {"node", n.id},
            {"version", version},
            {"seed", c.settings().seed},
            {"backend", v.backend},
            {"device", v.device},
            {"model", n.row.model},
            {"prompt", n.row.prompt_digest},
            {"answer", n.row.reply_digest},
            {"source", n.row.source_digest},
            {"problem", v.problem},
            {"verdict", n.row.verdict_digests.empty() ? "" : n.row.verdict_digests.front()},
            {"written_by", c.fold().books().version()},
            {"measured_with", v.provenance}};
  return pretty(j);
}

std::string content_of(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

void add_build(folder_files& files, const problem& p, const verdict& v, const std::string& source,
               const std::string& text) {
  files["kernel.h"] = header_of(p);
  auto flags = fact(v, "flags");
  if (flags.empty())
    flags = "-std=c++20 -O3 -march=native -fopenmp -fPIC -shared";
  auto command = "\"${CXX:-g++}\" " + shell_words(flags) + " -I. " + source + " -o kernel.so";
  files["build.sh"] = "#!/bin/sh\n# The recipe with which the kernel was measured" +
                      (fact(v, "compiler").empty() ? "" : ", by " + first_line(fact(v, "compiler"), 100)) +
                      ".\nset -e\ncd \"$(dirname \"$0\")\"\n" + command + "\n";
  files["Makefile"] = "CXX ?= g++\n\nkernel.so: " + source + " kernel.h\n\t$(CXX) " + flags + " -I. " +
                      source + " -o $@\n\nclean:\n\trm -f kernel.so\n\n.PHONY: clean\n";
  if (text.find("ke.h") != std::string::npos) {
    auto shim = content_of(built_in_backends() / v.backend / "ke.h");
    if (!shim.empty())
      files["ke.h"] = shim;
  }
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
  if (!v)
    v = c.verdict_of(n);
  if (!v)
    return failure{failure_kind::corrupt, "the verdict of node " + std::to_string(n.id) +
                                              " can't be read: run `ke-runtime store check`"};
  auto suffix = source_suffix(c.fold().trees()[n.key.tree].backend(), c.problem());
  auto name = "kernel" + suffix;
  folder_files files;
  files[name] = *source;
  files["problem.toml"] = problem_text(c.problem());
  if (is_native(suffix))
    add_build(files, c.problem(), *v, name, *source);
  files["verdict.json"] = pretty(json::parse(verdict_json(*v)));
  files["provenance.json"] = provenance_of(c, n, *v, version);
  files["README.md"] = readme_of(c, n, *v, name, version, is_native(suffix));
  return files;
}

result<exported> export_winner(const campaign_view& c, const std::string& dir, bool previous) {
  auto chain = winners_of(c);
  if (!chain)
    return chain.error();
  auto winners = proven_of(std::move(*chain));
  auto home = exports_of(c);
  auto active_file = (home / "ACTIVE").string(); // number of the version that was exported last
  auto version = winners.size();
  if (previous) {
    auto active = std::strtoull(content_of(active_file).c_str(), nullptr, 10);
    version = (active == 0 || active > winners.size() ? winners.size() : active);
    version -= version > 0 ? 1 : 0;
  }
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
  auto kept = (home / std::to_string(version)).string();
  for (const auto& [folder, complete] : {std::pair{kept, true}, std::pair{dir, false}}) {
    auto sound = verify_folder(folder, complete);
    if (!sound && sound.error().kind != failure_kind::not_found)
      return sound.error();
    if (sound || folder == kept)
      continue;
    for (const auto& [name, content] : *files) // not an export of ours: nothing of it is lost
      if (auto file = fs::path{dir} / name; fs::exists(file) && content_of(file) != content)
        return failure{failure_kind::invalid,
                       file.string() +
                           " exists already and is not part of an export: give another folder with -o"};
  }
  if (auto done = write_folder(kept, *files); !done)
    return done.error();
  if (auto done = write_folder(dir, *files); !done)
    return done.error();
  if (auto done = write_output(active_file, std::to_string(version) + "\n"); !done)
    return done.error();
  return exported{version, n->id};
}

} // namespace ke::cli
