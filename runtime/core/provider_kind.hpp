#pragma once

#include "runtime/core/names.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ke {

/// Where a provider is asked. Decides which keys of [[model]] it needs.
enum class provider_place : std::uint8_t {
  endpoint, ///< a server, by HTTP: `model` and `base_url`
  program,  ///< of this machine: `command`
  folder,   ///< of this machine: `dir`
  embedded, ///< this process: no key
};

/// How the recorded body of an answer is read.
enum class body_form : std::uint8_t {
  text,     ///< it is the answer
  message,  ///< JSON or an event stream of a chat API (runtime/llm/chat_api.hpp)
  recorded, ///< as that of the provider which once gave it
};

/// What the product asks of a kind of provider. Kinds are compared with one another only in their own files
/// (scripts/check_kinds.py): a new difference between kinds is a new member here.
struct provider_traits {
  provider_place place = provider_place::embedded;
  body_form body = body_form::text;
  bool billed = false;        ///< a call may cost money, even if nobody hears its end
  bool may_repair = true;     ///< shown what was wrong with its answer, it may give another
  bool task_only = false;     ///< reads the ke-task block alone, however long it is, and writes only kernels
  bool wants_key = false;     ///< no server but one of this machine takes a request without an API key
  bool writes_folder = false; ///< makes its `dir`, and puts prompts there
  double cache_write_factor = 1; ///< price of an input token that is written to a cache, in uncached ones

  constexpr bool remote() const { return place == provider_place::endpoint; }
};

/// The table of kinds, one line each: X(name, traits...). The name stands in campaign.toml. The place in the
/// table is the stored number, so append new kinds. How to add one: runtime/llm/README.md.
#define KE_PROVIDER_KINDS(X)                                                                                 \
  X(openai, .place = provider_place::endpoint, .body = body_form::message, .billed = true)                   \
  X(anthropic, .place = provider_place::endpoint, .body = body_form::message, .billed = true,                \
    .wants_key = true, .cache_write_factor = 1.25)                                                           \
  X(command, .place = provider_place::program, .billed = true)                                               \
  X(spool, .place = provider_place::folder, .writes_folder = true)                                           \
  X(playbook, .may_repair = false, .task_only = true)                                                        \
  X(replay, .place = provider_place::folder, .body = body_form::recorded, .may_repair = false)

#define KE_PROVIDER_KIND(kind, ...) kind,
enum class provider_kind : std::uint8_t { KE_PROVIDER_KINDS(KE_PROVIDER_KIND) };
#undef KE_PROVIDER_KIND

#define KE_PROVIDER_KIND(kind, ...) provider_kind::kind,
inline constexpr std::array provider_kinds{KE_PROVIDER_KINDS(KE_PROVIDER_KIND)};
#undef KE_PROVIDER_KIND

#define KE_PROVIDER_KIND(kind, ...) std::string_view{#kind},
KE_NAMES(provider_kind, provider_kinds.size(), KE_PROVIDER_KINDS(KE_PROVIDER_KIND))
#undef KE_PROVIDER_KIND

namespace detail {
#define KE_PROVIDER_KIND(kind, ...) provider_traits{__VA_ARGS__},
inline constexpr std::array<provider_traits, provider_kinds.size()> traits_of_kinds{
    KE_PROVIDER_KINDS(KE_PROVIDER_KIND)};
#undef KE_PROVIDER_KIND
} // namespace detail

/// `kind` is one of the table: parse_name and the codec make no other.
constexpr const provider_traits& traits_of(provider_kind kind) {
  return detail::traits_of_kinds[static_cast<std::size_t>(kind)];
}

} // namespace ke
