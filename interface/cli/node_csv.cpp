#include "interface/cli/node_csv.hpp"

#include "runtime/text/csv_text.hpp"

#include <ostream>
#include <string>

namespace ke::cli {
namespace {

std::string seconds(std::uint64_t ms) {
  return ms ? csv_number(static_cast<double>(ms) / 1000) : "";
}

} // namespace

status write_csv(const campaign_view& c, std::ostream& out) {
  out << "id,backend,parents,depth,state,decision,score,model,memory,attempts,input_tokens,output_tokens,usd,"
         "device_s,planned_s,asked_s,answered_s,"
         "judged_s,prompt,source,duplicate_of,note\r\n";
  return c.each(0, [&](const node_view& n) {
    std::string parents;
    for (auto p : n.row.parents)
      parents += (parents.empty() ? "" : " ") + std::to_string(c.public_id(n.key.tree, p));
    auto root = n.is_root();
    for (const auto& text :
         {std::to_string(n.id),
          c.fold().trees()[n.key.tree].backend(),
          parents,
          std::to_string(n.depth),
          std::string{to_text(n.state)},
          std::string{to_text(n.decision)},
          csv_number(n.score),
          n.row.model,
          root ? std::string{} : std::string{to_text(n.row.memory)},
          std::to_string(n.row.attempts),
          std::to_string(n.row.usage.input_tokens),
          std::to_string(n.row.usage.output_tokens),
          csv_number(n.row.usage.usd),
          csv_number(n.row.device_s),
          seconds(n.row.planned_ms),
          seconds(n.row.asked_ms),
          seconds(n.row.answered_ms),
          seconds(n.row.judged_ms),
          n.row.prompt_digest,
          n.row.source_digest,
          n.row.duplicate_of == no_node ? std::string{}
                                        : std::to_string(c.public_id(n.key.tree, n.row.duplicate_of))})
      out << csv_cell(text) << ',';
    out << csv_cell(n.row.note) << "\r\n";
    return static_cast<bool>(out);
  });
}

} // namespace ke::cli
