# ke_room(NAME DIRS folder... [RECURSE] [LINK public...] [PRIVATE private...])      (DIR: the same for one folder)
# A static library ke_NAME of every .cpp in the folders, or an interface target while they have none.
# The version is compiled in from one place.
function(ke_room name)
  cmake_parse_arguments(ROOM "RECURSE" "DIR" "DIRS;LINK;PRIVATE" ${ARGN})
  list(TRANSFORM ROOM_DIRS APPEND "/*.cpp" OUTPUT_VARIABLE patterns)
  if(ROOM_DIR)
    list(APPEND patterns ${ROOM_DIR}/*.cpp)
  endif()
  if(ROOM_RECURSE)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${patterns})
  else()
    file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${patterns})
  endif()
  if(sources)
    add_library(ke_${name} STATIC ${sources})
    target_link_libraries(ke_${name} PUBLIC ${ROOM_LINK} PRIVATE ${ROOM_PRIVATE})
    target_compile_definitions(ke_${name} PRIVATE KE_VERSION="${PROJECT_VERSION}")
    ke_batches(ke_${name})
    if(KE_SANITIZE MATCHES address AND name MATCHES "^(store|records|config|knowledge|llm|backends)$")
      # Half of what clang takes at -O1. The others compute much: their tests would lose more than that.
      target_compile_options(ke_${name} PRIVATE -O0)
    endif()
    if(KE_FUZZ AND NOT name STREQUAL "actors")
      target_compile_options(ke_${name} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
  else()
    add_library(ke_${name} INTERFACE)
    target_link_libraries(ke_${name} INTERFACE ${ROOM_LINK} ${ROOM_PRIVATE})
  endif()
endfunction()

# ke_batches(TARGET [SIZE]): compiles its files in batches of so many (default 12; KE_UNITY). So helpers in the anonymous namespaces of one room need names of
# their own, as a reader who searches for them wishes, too.
function(ke_batches target)
  if(KE_UNITY)
    set(size 12)
    if(ARGC GREATER 1)
      set(size ${ARGV1})
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU) # a batch is a header to it; clang has no such warning
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
  endif()
endfunction()

# ke_embed(TARGET NAMESPACE name file [name file...]): each file's text, as a std::string_view of that name which the room declares itself.
function(ke_embed target namespace)
  set(output ${CMAKE_BINARY_DIR}/embedded/${target}.cpp)
  set(names)
  set(files)
  while(ARGN)
    list(POP_FRONT ARGN name file)
    list(APPEND names ${name})
    list(APPEND files ${CMAKE_SOURCE_DIR}/${file})
  endwhile()
  list(JOIN names "," joined_names)
  list(JOIN files "," joined_files)
  add_custom_command(OUTPUT ${output}
                     COMMAND ${CMAKE_COMMAND} -D OUTPUT=${output} -D NAMESPACE=${namespace} -D NAMES=${joined_names} -D FILES=${joined_files}
                             -P ${CMAKE_SOURCE_DIR}/scripts/cmake/embed_files.cmake
                     DEPENDS ${files} ${CMAKE_SOURCE_DIR}/scripts/cmake/embed_files.cmake COMMENT "Embedding ${joined_names}" VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

# ke_precompile(TARGET headers...): what all its files include, compiled once; set so that ccache keeps working.
function(ke_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  ke_precompiled_in_cache(${target})
endfunction()

# A target that compiles with a precompiled header hits the compiler cache.
function(ke_precompiled_in_cache target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess) # lets ccache see through the precompiled header
  else()
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp") # or no second clone finds it in ccache
  endif()
endfunction()

# ke_test(NAME DIR folder LINK targets... [SOURCES extra...] [TIMED] [TORCH] [COSTLY] [OWN_PCH]): one Catch2 program per room, one CTest per test case.
# TORCH: the room has test cases tagged [torch], which need a Python with PyTorch (.venv, or KE_PYTHON); CTest label torch.
# COSTLY: the room has test cases tagged [costly], which a sanitizer would make minutes of and find nothing in: they wait for compilers,
# count memory, fork by the thousand, draw numbers by the million, or judge over and over. The stages with sanitizers leave them out.
# TIMED: the room has test cases tagged [timing]. They measure, so each runs with nothing beside it, and never under a sanitizer.
# OWN_PCH: the caller precompiles more than Catch2 for it.
function(ke_test name)
  cmake_parse_arguments(TEST "TIMED;TORCH;COSTLY;OWN_PCH" "DIR" "LINK;SOURCES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${TEST_DIR}/*_test.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(ke_${name}_test ${sources} ${TEST_SOURCES})
  target_link_libraries(ke_${name}_test PRIVATE ${TEST_LINK} ke_test_main)
  if(NOT TEST_TIMED OR KE_SANITIZE MATCHES address)
    target_compile_options(ke_${name}_test PRIVATE -O0) # Catch2's macros cost compile time, not run time
  endif()
  if(NOT TEST_OWN_PCH) # Catch2's header takes a second of every file
    if(TEST_TIMED OR name STREQUAL "core")
      ke_precompile(ke_${name}_test <catch2/catch.hpp>)
    else() # the same flags: one serves all
      target_precompile_headers(ke_${name}_test REUSE_FROM ke_core_test)
      ke_precompiled_in_cache(ke_${name}_test)
    endif()
  endif()
  ke_batches(ke_${name}_test 4)
  catch_discover_tests(ke_${name}_test TEST_PREFIX "${name}: " TEST_SPEC "~[timing]~[torch]~[costly]" PROPERTIES TIMEOUT 120)
  if(TEST_COSTLY)
    catch_discover_tests(ke_${name}_test TEST_PREFIX "${name}: " TEST_SPEC "[costly]" PROPERTIES TIMEOUT 120 LABELS costly)
  endif()
  if(TEST_TIMED)
    catch_discover_tests(ke_${name}_test TEST_PREFIX "${name}: " TEST_SPEC "[timing]~[torch]"
                         PROPERTIES TIMEOUT 300 LABELS timing RUN_SERIAL TRUE)
  endif()
  if(TEST_TORCH)
    catch_discover_tests(ke_${name}_test TEST_PREFIX "${name}: " TEST_SPEC "[torch]~[timing]"
                         PROPERTIES TIMEOUT 300 LABELS torch)
    catch_discover_tests(ke_${name}_test TEST_PREFIX "${name}: " TEST_SPEC "[torch][timing]"
                         PROPERTIES TIMEOUT 300 LABELS "torch\\;timing" RUN_SERIAL TRUE)
  endif()
endfunction()
