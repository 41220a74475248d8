#include "config/secret.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace ke {
namespace {

constexpr std::array<std::string_view, 12> prefixes{"sk-",  "sk_",  "ghp_", "gho_", "github_pat_", "xai-",
                                                    "AIza", "AKIA", "gsk_", "hf_",  "glpat-",      "pplx-"};
constexpr std::array<std::string_view, 10> secret_words{"key",        "apikey",     "token",      "secret",
                                                        "password",   "passwd",     "passphrase", "bearer",
                                                        "credential", "credentials"};
constexpr std::size_t least_after_prefix = 12;
constexpr std::size_t least_run = 24;

/// 24 or more letters and digits in a row, with capitals, small letters and digits, most of them different:
/// no word and no model name.
bool random_run(std::string_view run) {
  if (run.size() < least_run)
    return false;
  bool upper = false, lower = false, digit = false;
  std::array<bool, 256> seen{};
  for (unsigned char c : run) {
    upper |= std::isupper(c) != 0;
    lower |= std::islower(c) != 0;
    digit |= std::isdigit(c) != 0;
    seen[c] = true;
  }
  return upper && lower && digit && std::count(seen.begin(), seen.end(), true) >= 14;
}

class sieve {
public:
  explicit sieve(std::vector<config_error>& errors) : errors_{errors} {}

  void table(toml_node& node, const std::string& path) {
    std::erase_if(node.members, [&](toml_node::member& m) {
      auto key = path.empty() ? m.key : path + "." + m.key;
      // [cluster] key is the path of a key file.
      auto by_name = names_a_secret(m.key) && key != "cluster.key" && m.value.is == toml_node::kind::text;
      return value(m.value, m.place, key, by_name);
    });
  }

private:
  /// True if the value has to go.
  bool value(toml_node& node, const text_place& place, const std::string& key, bool by_name) {
    if (by_name || (node.is == toml_node::kind::text && looks_like_a_secret(node.text))) {
      errors_.push_back(error_at(
          place, key,
          std::string{by_name ? "a secret does not belong in this file"
                              : "this value looks like a secret, which does not belong in this file"} +
              ": put it in an environment variable and name that in api_key_env"));
      return true;
    }
    if (node.is == toml_node::kind::table)
      table(node, key);
    for (auto& item : node.items)
      if (value(item, item.place, key, false))
        return true;
    return false;
  }

  std::vector<config_error>& errors_;
};

} // namespace

bool names_a_secret(std::string_view key) {
  std::string name;
  for (unsigned char c : key)
    name += c == '-' ? '_' : static_cast<char>(std::tolower(c));
  auto last = name.substr(name.rfind('_') + 1);
  return std::find(secret_words.begin(), secret_words.end(), last) != secret_words.end();
}

bool looks_like_a_secret(std::string_view text) {
  for (auto prefix : prefixes)
    if (text.starts_with(prefix) && text.size() >= prefix.size() + least_after_prefix &&
        text.find(' ') == text.npos)
      return true;
  if (text.starts_with("Bearer "))
    return true;
  for (std::size_t at = 0; at < text.size();) {
    auto end = at;
    while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])))
      ++end;
    if (random_run(text.substr(at, end - at)))
      return true;
    at = end + 1;
  }
  return false;
}

void refuse_secrets(toml_node& document, std::vector<config_error>& errors) {
  sieve{errors}.table(document, "");
}

} // namespace ke
