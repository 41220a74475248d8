#include "runtime/net/client_command.hpp"

#include "runtime/core/hex.hpp"
#include "runtime/text/json_limits.hpp"
#include "runtime/text/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <initializer_list>

namespace ke {
namespace {

using json = nlohmann::json;

constexpr std::size_t deepest = 8;
constexpr std::size_t most_values = 4096; ///< a command line's words, and some
constexpr std::size_t longest_shown = 40;

/// Reads the fields of one command. The first that is not what it should be is kept as the fault.
class field_reader {
public:
  explicit field_reader(const json& command) : command_{command} {}

  void text(const char* name, std::string& into) {
    if (auto value = find(name); value && expect(name, *value, value->is_string(), "a text"))
      into = value->get<std::string>();
  }
  void flag(const char* name, bool& into) {
    if (auto value = find(name); value && expect(name, *value, value->is_boolean(), "true or false"))
      into = value->get<bool>();
  }
  void texts(const char* name, std::vector<std::string>& into) {
    auto value = find(name);
    if (!value)
      return;
    auto all_texts = value->is_array() &&
                     std::all_of(value->begin(), value->end(), [](const json& x) { return x.is_string(); });
    if (expect(name, *value, all_texts, "a list of texts"))
      into = value->get<std::vector<std::string>>();
  }

  void fail(std::string why) {
    if (fault_.empty())
      fault_ = std::move(why);
  }
  const std::string& fault() const { return fault_; }

private:
  const json* find(const char* name) const {
    auto at = command_.find(name);
    return at == command_.end() ? nullptr : &*at;
  }

  bool expect(const char* name, const json& value, bool fits, const char* expected) {
    if (!fits)
      fail(std::string{"the command's field \""} + name + "\": expected " + expected + ", found " +
           kind_of(value));
    return fits;
  }

  static std::string kind_of(const json& value) {
    switch (value.type()) {
    case json::value_t::null:
      return "null";
    case json::value_t::object:
      return "an object";
    case json::value_t::array:
      return "a list";
    case json::value_t::string:
      return "a text";
    case json::value_t::boolean:
      return "true or false";
    default:
      return "a number";
    }
  }

  const json& command_;
  std::string fault_;
};

std::string shown(const std::string& act) {
  return json_text(act.size() <= longest_shown ? act : act.substr(0, longest_shown) + "...");
}

} // namespace

result<client_command> parse_command(std::string_view text) {
  auto invalid = [](std::string why) { return failure{failure_kind::invalid, std::move(why), false}; };
  if (!json_within(text, deepest, most_values))
    return invalid("a command is one JSON object of texts and flags: this one nests too deep, has too many "
                   "values or is cut");
  auto command = json::parse(text, nullptr, false);
  if (!command.is_object())
    return invalid("a command is one JSON object");
  field_reader fields{command};
  client_command out;
  fields.text("command", out.act);
  fields.text("campaign", out.campaign);
  if (out.act == "hint") {
    fields.text("node", out.node);
    fields.text("text", out.text);
  } else if (out.act == "set") {
    fields.text("key", out.key);
    fields.text("value", out.value);
  } else if (out.act == "submit") {
    std::string problem;
    fields.text("config", out.config);
    fields.text("problem", problem);
    fields.flag("fresh", out.fresh);
    if (auto bytes = from_hex(problem); bytes && !bytes->empty())
      out.problem = *std::move(bytes);
    else
      fields.fail("the command's field \"problem\": expected the packed problem in hexadecimal");
  } else if (out.act == "merge") {
    fields.text("name", out.name);
  } else if (out.act == "read") {
    fields.texts("words", out.words);
    fields.flag("writes", out.writes);
  } else if (out.act != "status" && out.act != "watch" && out.act != "pause" && out.act != "resume" &&
             out.act != "stop") {
    fields.fail("this owner knows no command " + shown(out.act));
  }
  if (!fields.fault().empty())
    return invalid(fields.fault());
  return out;
}

bool is_reading_command(const std::string& word) {
  static constexpr const char* known[] = {"best", "tree", "show", "diff", "report", "export"};
  return std::find(std::begin(known), std::end(known), word) != std::end(known);
}

} // namespace ke
