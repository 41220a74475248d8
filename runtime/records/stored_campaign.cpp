#include "runtime/records/stored_campaign.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/observe/log.hpp"

#include <algorithm>
#include <map>

namespace ke {

bool image_is_due(std::uint64_t records, std::uint64_t imaged, std::uint64_t least, std::uint64_t parts) {
  return records - imaged >= std::max(least, imaged / parts);
}

image_header header_of_image(std::string store_id, std::uint32_t id, std::uint64_t records,
                             const journal_record& last) {
  image_header h;
  h.store = std::move(store_id);
  h.program = KE_VERSION;
  h.layout = campaign_fold::image_layout();
  h.campaign = id;
  h.records = records;
  h.wall_ms = last.wall_ms;
  h.last_record = digest_of(pack(last));
  return h;
}

result<std::shared_ptr<const problem>> problem_of(std::string_view bytes) {
  auto p = unpack<problem>(bytes);
  if (!p)
    return p.error();
  return std::make_shared<const problem>(std::move(*p));
}

folded_start fold_of_image(const image_file& image, const std::string& store_id, std::uint32_t id,
                           const std::optional<journal_record>& last) {
  if (!last)
    return {};
  auto expected = header_of_image(store_id, id, image.header.records, *last);
  expected.body_bytes = image.header.body_bytes;
  expected.body_digest = image.header.body_digest;
  if (!(image.header == expected))
    return {}; // of another program, or of a journal that went on differently
  auto fold = campaign_fold::from_image(image.body);
  if (!fold) {
    log::warn("store", "an image is not used", {{"why", fold.error().text}});
    return {};
  }
  // Its clock may have gone on after its last record; what follows is later than that, so that the journal alone
  // tells the same time.
  auto wall_ms = std::max(image.header.wall_ms, fold->row(id).wall_ms);
  return {std::move(*fold), image.header.records, wall_ms};
}

folded_start read_folded_start(const store_reader& store, std::uint32_t id) {
  auto image = read_image(store.dir(), id);
  if (!image) {
    if (image.error().kind != failure_kind::not_found)
      log::warn("store", "an image is not used", {{"why", image.error().text}});
    return {};
  }
  std::optional<journal_record> last;
  if (image->header.records > 0)
    (void)store.journal(id, image->header.records - 1, [&](std::uint64_t, const journal_record& r) {
      last = r;
      return false;
    });
  return fold_of_image(*image, store.id(), id, last);
}

result<campaign_row> find_campaign(const store_reader& store, const std::string& name) {
  auto all = store.campaigns();
  if (!all)
    return all.error();
  const campaign_row* newest = nullptr;
  std::map<std::string, std::size_t> names; // and how many of each have been seen
  for (const auto& c : *all) {
    auto number = ++names[c.name];
    if (name.empty() || c.name == name || c.name + "@" + std::to_string(number) == name)
      newest = &c;
  }
  if (name.empty() && names.size() > 1) {
    std::string list;
    for (const auto& [n, count] : names)
      list += (list.empty() ? "" : ", ") + n;
    return failure{failure_kind::invalid, "the store " + store.dir() +
                                              " holds several campaigns; name one with --campaign: " + list};
  }
  if (!newest)
    return failure{failure_kind::not_found,
                   name.empty() ? "the store " + store.dir() + " holds no campaign"
                                : "the store " + store.dir() + " holds no campaign named " + name};
  return *newest;
}

} // namespace ke
