# ke_device_kernels(TARGET NAMESPACE name file.cu): the file's PTX, as a std::string_view of that name which the room declares itself.
# clang compiles it without any toolkit; sm_70's PTX runs on every later device. Without clang 19 the text is empty, and whoever needs a
# device says so.
find_program(KE_DEVICE_CLANG NAMES clang++-19 clang++-20 clang++)
function(ke_device_kernels target namespace name file)
  get_filename_component(base ${file} NAME_WE)
  set(ptx ${CMAKE_BINARY_DIR}/embedded/${base}.ptx)
  set(output ${CMAKE_BINARY_DIR}/embedded/${base}.cpp)
  if(KE_DEVICE_CLANG)
    set(compile ${KE_DEVICE_CLANG} -x cuda --cuda-gpu-arch=sm_70 --cuda-device-only -nocudainc -nocudalib -Wno-unknown-cuda-version
                -O3 -std=c++17 -S -o ${ptx} ${CMAKE_SOURCE_DIR}/${file})
  else()
    message(STATUS "no clang++-19: built without the judge's device kernels, so nothing is judged on a device")
    set(compile ${CMAKE_COMMAND} -E touch ${ptx})
  endif()
  add_custom_command(OUTPUT ${output}
                     COMMAND ${compile}
                     COMMAND ${CMAKE_COMMAND} -D OUTPUT=${output} -D NAMESPACE=${namespace} -D NAMES=${name} -D FILES=${ptx}
                             -P ${CMAKE_SOURCE_DIR}/scripts/cmake/embed_files.cmake
                     DEPENDS ${CMAKE_SOURCE_DIR}/${file} ${CMAKE_SOURCE_DIR}/scripts/cmake/embed_files.cmake
                     COMMENT "Compiling ${file} to PTX" VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
