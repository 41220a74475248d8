# What an installation has: `cmake --install build/release --prefix DIR --strip`. It may be moved: no program knows an absolute path.
# scripts/bundle.sh adds the libraries and bwrap.

# The programs, in one folder, as they look for one another there. The first ones find the libraries that came with them in lib/ke-runtime, so
# none of the system's needs to be there, and none there becomes the system's (`lib` itself may be /usr/local/lib).
set(ke_programs ke-runtime ke-judge ke-profiler ke-device-compiler)
# These load what the compilers of the machine have built, which needs that machine's libstdc++, however new; so they run with it, too, and never
# with two. They bring no library, as a sandbox shows them the system's alone.
set(ke_programs_of_candidates ke-driver ke-runner ke-device-runner ke-cuda-driver)

add_custom_target(ke-programs DEPENDS ${ke_programs} ${ke_programs_of_candidates} ke-arena-pool)

# Written when they are linked: nothing needs to be patched. RPATH, not RUNPATH: libraries of libraries are looked up by it, too.
set_target_properties(${ke_programs} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/ke-runtime" BUILD_WITH_INSTALL_RPATH ON)
foreach(program ${ke_programs})
  target_link_options(${program} PRIVATE -Wl,--disable-new-dtags)
endforeach()

# Where programs of the build folder find the backends (backends/evaluation/backend.cpp), wherever it lies.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/ke-runtime)
file(RELATIVE_PATH ke_to_backends ${CMAKE_BINARY_DIR}/share/ke-runtime ${CMAKE_SOURCE_DIR}/backends)
file(CREATE_LINK ${ke_to_backends} ${CMAKE_BINARY_DIR}/share/ke-runtime/backends SYMBOLIC)

install(TARGETS ${ke_programs} ${ke_programs_of_candidates} RUNTIME DESTINATION bin)
install(TARGETS ke-arena-pool LIBRARY DESTINATION bin) # loaded by Python processes, and looked for beside the programs
file(GLOB ke_manifests CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} backends/*/backend.toml)
foreach(manifest ${ke_manifests})
  cmake_path(GET manifest PARENT_PATH folder)
  install(DIRECTORY ${folder} DESTINATION share/ke-runtime/backends PATTERN __pycache__ EXCLUDE)
endforeach()
install(FILES config/campaign.toml DESTINATION share/ke-runtime/config)
install(DIRECTORY config/problems config/quickstart DESTINATION share/ke-runtime/config PATTERN __pycache__ EXCLUDE)
install(DIRECTORY docs/manual DESTINATION share/doc/ke-runtime)
install(FILES LICENSE CHANGELOG.md DESTINATION share/doc/ke-runtime)
