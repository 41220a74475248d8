#include "runtime/store/lent_store.hpp"

#include <utility>

namespace ke {
namespace {

const failure loan_is_over{failure_kind::cancelled, "the owner of the store is ending"};

} // namespace

/// `ask(callback)` asks the store; under the guard, so that nothing is asked once `end` has returned.
template <class Answer, class Ask>
void lent_store::lend(std::function<void(Answer)> done, Ask&& ask) {
  {
    std::lock_guard lock{awaited_->guard};
    if (!awaited_->over) {
      auto number = ++awaited_->last;
      auto heard = std::make_shared<std::function<void(Answer)>>(std::move(done));
      awaited_->open[number] = [heard](const failure& why) {
        if (*heard)
          (*heard)(why);
      };
      ask([number, heard, all = awaited_](Answer answer) {
        {
          std::lock_guard still{all->guard};
          if (all->open.erase(number) == 0)
            return; // it was told that the loan is over
        }
        if (*heard)
          (*heard)(std::move(answer));
      });
      return;
    }
  }
  if (done)
    done(loan_is_over);
}

void lent_store::write(store_batch batch, std::function<void(status)> done) {
  lend<status>(std::move(done), [&](auto heard) { store_.write(std::move(batch), std::move(heard)); });
}

void lent_store::read(table where, std::string key, std::function<void(result<std::string>)> done) {
  lend<result<std::string>>(std::move(done),
                            [&](auto heard) { store_.read(where, std::move(key), std::move(heard)); });
}

void lent_store::read_blob(std::string digest, std::function<void(result<std::string>)> done) {
  lend<result<std::string>>(std::move(done),
                            [&](auto heard) { store_.read_blob(std::move(digest), std::move(heard)); });
}

void lent_store::scan(table where, std::string prefix, std::string first, std::size_t limit,
                      std::function<void(result<std::vector<std::pair<std::string, std::string>>>)> done) {
  lend<result<std::vector<std::pair<std::string, std::string>>>>(std::move(done), [&](auto heard) {
    store_.scan(where, std::move(prefix), std::move(first), limit, std::move(heard));
  });
}

void lent_store::end() {
  std::map<std::uint64_t, std::function<void(const failure&)>> open;
  {
    std::lock_guard lock{awaited_->guard};
    awaited_->over = true;
    open.swap(awaited_->open);
  }
  for (auto& [number, refuse] : open)
    refuse(loan_is_over);
}

bool lent_store::ended() const {
  std::lock_guard lock{awaited_->guard};
  return awaited_->over;
}

} // namespace ke
