#pragma once

#include "runtime/store/store_port.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace ke {

/// A store, lent to threads that wait for it. Callbacks may take hours while a disk is full; `end` answers
/// all open ones, and later ones, with `cancelled`. Written batches may be committed all the same. Any
/// thread; the store must live until `end` has returned.
class lent_store final : public store_port {
public:
  explicit lent_store(store_port& store) : store_{store} {}
  ~lent_store() override { end(); }

  void write(store_batch batch, std::function<void(status)> done = {}) override;
  void read(table where, std::string key, std::function<void(result<std::string>)> done) override;
  void read_blob(std::string digest, std::function<void(result<std::string>)> done) override;
  void scan(table where, std::string prefix, std::string first, std::size_t limit,
            std::function<void(result<std::vector<std::pair<std::string, std::string>>>)> done) override;

  void end();
  bool ended() const;

private:
  /// Open callbacks; shared with the store's, which may come after the loan.
  struct awaited {
    std::recursive_mutex guard; ///< a store may answer at once
    bool over = false;
    std::uint64_t last = 0;
    std::map<std::uint64_t, std::function<void(const failure&)>> open;
  };

  template <class Answer, class Ask>
  void lend(std::function<void(Answer)> done, Ask&& ask);

  store_port& store_;
  std::shared_ptr<awaited> awaited_ = std::make_shared<awaited>();
};

} // namespace ke
