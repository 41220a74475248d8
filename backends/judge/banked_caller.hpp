#pragma once

#include "backends/judge/caller.hpp"
#include "backends/judge/truth_bank.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// The reference, or its wider form: answers from the bank what it has been asked before, by this judgement or an
/// earlier one, and has a process only from the first question on that is new. Asked anew, it always runs. One thread.
class banked_caller {
public:
  /// A process, and the arena that it works in.
  using start_function = std::function<result<std::unique_ptr<caller>>()>;

  /// `form`: which of the two; names what is kept. `bank` outlives this.
  banked_caller(truth_bank& bank, std::string form, start_function start)
      : bank_{bank}, form_{std::move(form)}, start_{std::move(start)} {}

  /// Starts the process now. The failure of `start`.
  status begin();
  /// As caller::bind. False: they do not fit.
  bool bind(const bound_shapes& shapes, std::uint32_t slots, bool misaligned = false);

  enum class ask : std::uint8_t { whoever_knows, anew };
  /// One order over `slots`, as caller::run has it. From the bank: without ns but that of each call, as it was. After
  /// anything but `done` this object is of no more use; `machine`: `trouble` says what could not be started.
  caller::outcome run(std::span<const bank_slot* const> slots, double limit_s, ask whom = ask::whoever_knows);
  const std::string& output(std::size_t slot, std::size_t tensor) const;

  /// What a judgement has found out about these slots under this name; nothing: none has.
  std::optional<std::string> found(std::string_view what, std::span<const bank_slot* const> slots) const;
  void note(std::string_view what, std::span<const bank_slot* const> slots, std::string_view found);

  /// As caller::soil, of a process that runs.
  void soil();
  const status& trouble() const { return trouble_; }

private:
  /// Of what is kept of this slot alone.
  std::string name_of(const bank_slot& slot) const;
  /// Of what is kept of several, by their names.
  static std::string name_of(std::string_view what, std::span<const std::string> slots);
  std::vector<std::string> names_of(std::span<const bank_slot* const> slots) const;
  bool recall(const std::vector<std::string>& names, caller::outcome& out);
  void remember(const std::vector<std::string>& names, const caller::outcome& out, std::size_t tensors);

  truth_bank& bank_;
  std::string form_;
  start_function start_;
  std::unique_ptr<caller> process_; ///< null: none is needed yet
  status trouble_ = ok;
  bound_shapes shapes_;
  std::uint32_t slots_ = 0;
  bool misaligned_ = false;
  bool bound_ = false;                             ///< the process has these shapes
  bool from_bank_ = false;                         ///< the last answer
  std::vector<std::vector<std::string>> recalled_; ///< slot, tensor
};

} // namespace ke
