# cmake -D OUTPUT=... -D NAMESPACE=... -D NAMES=a,b -D FILES=PATH,PATH -P embed_files.cmake: writes a C++ source with one
# `extern const std::string_view` for each file. A source, not an object of bytes: compiler caches know it by its content.
string(REPLACE "," ";" names "${NAMES}")
string(REPLACE "," ";" files "${FILES}")
set(all "// Written by scripts/cmake/embed_files.cmake.\n#include <string_view>\n\nnamespace ${NAMESPACE} {\n\n")
foreach(name file IN ZIP_LISTS names files)
  file(READ ${file} text)
  if(text MATCHES "\\)ke-file\"")
    message(FATAL_ERROR "${file}: the text may not hold the end mark of the embedding")
  endif()
  string(APPEND all "extern const std::string_view ${name};\nconst std::string_view ${name} = R\"ke-file(${text})ke-file\";\n\n")
endforeach()
string(APPEND all "} // namespace ${NAMESPACE}\n")
file(WRITE ${OUTPUT} "${all}")
