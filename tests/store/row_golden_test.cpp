#include "runtime/store/export_file.hpp"
#include "runtime/store/image_file.hpp"
#include "runtime/store/prompt_sections.hpp"
#include "runtime/store/record.hpp"
#include "runtime/store/store_share.hpp"
#include "tests/golden.hpp"

using namespace ke;

TEST_CASE("the bytes of the store's own rows, seals, keys and export heads are those of the golden file") {
  test::golden_bytes all;
  all.add<store_identity>("store_identity");
  all.add<blob_place>("blob_place");
  all.add<stored_section>("stored_section");
  all.add<shared_row>("shared_row");
  all.add<shared_call>("shared_call");
  all.add<export_origin>("export_origin");
  all.add<export_header>("export_header");
  all.add<export_summary>("export_summary");
  all.add<image_header>("image_header");
  all.names<shared_kind>("shared_kind");
  all.names<table>("table");
  all.line("key of a node " + to_hex(key_of(1, 2, 3)));
  all.line("key of a call " + to_hex(key_of(1, 2, 3, 4)));
  all.line("key of a journal record " + to_hex(journal_key(1, 2)));
  all.line("key of a blob " + to_hex(sequence_key(258)));
  for (auto where : {table::meta, table::nodes, table::journal, table::shared})
    all.line("seal of " + std::string{to_text(where)} + " " + to_hex(seal(where, key_of(1, 2, 3), "body")));
  all.line("digest of a record " + digest_of_record(shared_kind::verdict, "content"));
  all.line("digest of records " + digest_of_records({"a", "b"}));
  test::check_golden("store/golden/rows.txt", all.text());
}
