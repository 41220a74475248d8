# cmake -D ROOT=... -D OUTPUT=... -P embed_documents.cmake: writes a C++ source that holds every document below ROOT/knowledge/{constraints,
# guidance,hardware}. A source, not an object of bytes: compiler caches know it by its content.
file(GLOB_RECURSE files RELATIVE ${ROOT}/knowledge ${ROOT}/knowledge/constraints/*.md ${ROOT}/knowledge/guidance/*.md
     ${ROOT}/knowledge/hardware/*.md)
list(FILTER files EXCLUDE REGEX "(^|/)(README|index)\\.md$")
list(SORT files)
set(all "// Written by scripts/cmake/embed_documents.cmake.\n#include \"knowledge/library/corpus.hpp\"\n\nnamespace ke {\n\n")
string(APPEND all "std::span<const embedded_document> embedded_documents() {\n  static const std::vector<embedded_document> all{\n")
foreach(file IN LISTS files)
  file(READ ${ROOT}/knowledge/${file} text)
  if(text MATCHES "\\)ke-document\"")
    message(FATAL_ERROR "knowledge/${file}: the text may not hold the end mark of the embedding")
  endif()
  string(REGEX REPLACE "\\.md$" "" id "${file}")
  string(APPEND all "      {R\"(${id})\", R\"(knowledge/${file})\",\n       R\"ke-document(${text})ke-document\"},\n")
endforeach()
string(APPEND all "  };\n  return all;\n}\n\n} // namespace ke\n")
file(WRITE ${OUTPUT} "${all}")
