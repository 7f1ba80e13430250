# SPDX-License-Identifier: BSD-3-Clause
# Registers tests by file name: unit_X.c runs alone, mpi_X.c on several rank counts, end_to_end and
# isa scripts get the build folder as their argument, fuzz_X.c is a target of libFuzzer, of which the
# sanitizers' build replays tests/corpus/X.  A file of another name is an error of
# tests/check_tree.sh.
#
# Tests with the label `full` repeat what the others show, on other numbers of ranks or in a slower
# build: ./run test leaves them out, ./run test full runs them, and with HB_TEST_ALL=1, by which tests
# go through every case instead of a part that covers.
#
# device_X.c and mpi_device_X.c, end_to_end_device*.py and isa_X.py belong to builds with GPU; the
# target device_tests is what they need.  Where there is no AMD GPU, those of an amd build run on the
# interpreter of amdgpu/, once with waves and workgroups in order and once shuffled.
set(mpi_ranks 1 2 3 5 8)
execute_process(COMMAND bash ${PROJECT_SOURCE_DIR}/.ci/launcher.sh ${MPIEXEC_EXECUTABLE}
                OUTPUT_VARIABLE launcher OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REPLACE "\n" ";" launcher "${launcher}")
set(test_environment ${launcher} HB_MPIEXEC=${MPIEXEC_EXECUTABLE} PYTHONDONTWRITEBYTECODE=1)
if(HELMBONE_SANITIZE)
  # Open MPI 5 writes over functions that the sanitizer has caught.
  list(APPEND test_environment OMPI_MCA_memory=^patcher ASAN_OPTIONS=detect_leaks=1
       LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0
       UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1)
endif()

# The lane maps of the kernels are C++; without a compiler of it their comparison is left out.
include(CheckLanguage)
check_language(CXX)
if(CMAKE_CXX_COMPILER)
  enable_language(CXX)
  add_library(hb_mfma_tiles_rows OBJECT tests/mfma_tiles_rows.cpp)
  target_include_directories(hb_mfma_tiles_rows PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_features(hb_mfma_tiles_rows PRIVATE cxx_std_17)
  target_compile_options(hb_mfma_tiles_rows PRIVATE -Wall -Wextra
                         $<$<BOOL:${HELMBONE_WERROR}>:-Werror>)
endif()

# Whatever starts MPI leaves MPI's own leaks to it.
file(GLOB sanitize_sources CONFIGURE_DEPENDS tests/sanitize_*.c)
if(NOT HELMBONE_SANITIZE)
  set(sanitize_sources)
endif()

file(GLOB unit_tests CONFIGURE_DEPENDS tests/unit_*.c)
foreach(source IN LISTS unit_tests)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  file(STRINGS ${source} starts_mpi REGEX "MPI_Init")
  if(starts_mpi)
    target_sources(${name} PRIVATE ${sanitize_sources})
  endif()
  target_link_libraries(${name} PRIVATE hb_app_matcore hb_app_bench)
  if(name STREQUAL unit_mfma_layout AND TARGET hb_mfma_tiles_rows)
    target_link_libraries(${name} PRIVATE hb_mfma_tiles_rows)
    target_compile_definitions(${name} PRIVATE HB_HAVE_CXX=1)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600
                       ENVIRONMENT "${test_environment}")
  if(HELMBONE_SANITIZE AND name STREQUAL unit_convergence) # a minute of solves like mpi_solver's
    set_tests_properties(${name} PROPERTIES LABELS full)
  endif()
endforeach()

file(GLOB mpi_tests CONFIGURE_DEPENDS tests/mpi_*.c)
list(FILTER mpi_tests EXCLUDE REGEX "/mpi_device[^/]*$")
foreach(source IN LISTS mpi_tests)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source} ${sanitize_sources})
  target_link_libraries(${name} PRIVATE hb_app_bench)
  foreach(ranks IN LISTS mpi_ranks)
    add_test(NAME ${name}_${ranks}
             COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:${name}>)
    set_tests_properties(${name}_${ranks} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600
                         PROCESSORS ${ranks} ENVIRONMENT "${test_environment}")
    # One, a prime and a cube of ranks; under the sanitizers the prime, and the cube where ranks
    # exchange over faces, edges and corners.
    if(ranks MATCHES "^[25]$" OR (HELMBONE_SANITIZE AND NOT ranks EQUAL 3 AND
       NOT "${name}_${ranks}" MATCHES "^mpi_(gather_scatter|operator)_8$"))
      set_tests_properties(${name}_${ranks} PROPERTIES LABELS full)
    endif()
  endforeach()
endforeach()

# Fuzz targets: by clang programs of libFuzzer, else with a main function that replays.
file(GLOB fuzz_targets CONFIGURE_DEPENDS tests/fuzz_*.c)
list(FILTER fuzz_targets EXCLUDE REGEX "/fuzz_replay[.]c$")
if(HELMBONE_SANITIZE)
  foreach(source IN LISTS fuzz_targets)
    get_filename_component(name ${source} NAME_WE)
    string(REPLACE "fuzz_" "" parser ${name})
    file(GLOB corpus CONFIGURE_DEPENDS tests/corpus/${parser}/*)
    if(HELMBONE_FUZZ)
      add_executable(${name} ${source} ${sanitize_sources})
      target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    else()
      add_executable(${name} ${source} ${sanitize_sources} tests/fuzz_replay.c)
    endif()
    target_include_directories(${name} SYSTEM PRIVATE ${HDF5_C_INCLUDE_DIRS})
    target_link_libraries(${name} PRIVATE hb_app_matcore ${HDF5_C_LIBRARIES})
    add_test(NAME ${name} COMMAND ${name} ${corpus})
    set_tests_properties(${name} PROPERTIES TIMEOUT 600 ENVIRONMENT "${test_environment}")
  endforeach()
endif()

find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  message(STATUS "Tests: no Python 3, so end_to_end_*.py and isa_*.py are left out")
endif()
file(GLOB script_tests CONFIGURE_DEPENDS tests/end_to_end*.py tests/end_to_end*.sh)
list(FILTER script_tests EXCLUDE REGEX "/end_to_end_device[^/]*$")
foreach(source IN LISTS script_tests)
  get_filename_component(name ${source} NAME_WE)
  if(source MATCHES "\\.py$" AND NOT Python3_FOUND)
    continue()
  elseif(source MATCHES "\\.py$")
    set(interpreter ${Python3_EXECUTABLE})
  else()
    set(interpreter bash)
  endif()
  add_test(NAME ${name} COMMAND ${interpreter} ${source} ${PROJECT_BINARY_DIR})
  # Most of their time they wait for launchers, and so run side by side; the long ones first.
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1200 COST 1000
                       ENVIRONMENT "${test_environment}")
endforeach()

# The faults of tests/plants, built into a copy of the sources: one of each kind in every run of the
# tests, and all of them in all cases (./run test plants).
file(GLOB plant_sources CONFIGURE_DEPENDS tests/plants/*.py tests/plants/*.c)
if(Python3_FOUND AND plant_sources AND HELMBONE_GPU STREQUAL none AND
   CMAKE_BUILD_TYPE STREQUAL Release)
  set(plants ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/plants/plants.py ${PROJECT_BINARY_DIR})
  add_test(NAME plants_part COMMAND ${plants} --part)
  add_test(NAME plants_all COMMAND ${plants})
  set_tests_properties(plants_part plants_all PROPERTIES SKIP_RETURN_CODE 77 RESOURCE_LOCK plants
                       PROCESSORS 2 COST 1000 ENVIRONMENT "${test_environment}")
  set_tests_properties(plants_part PROPERTIES TIMEOUT 1200)
  set_tests_properties(plants_all PROPERTIES TIMEOUT 28800 LABELS full)
endif()

if(HELMBONE_GPU STREQUAL none)
  return()
endif()
option(HELMBONE_REQUIRE_GPU "A device test without a device fails instead of being skipped" OFF)
set(HELMBONE_DEVICE_TIMEOUT 1200 CACHE STRING "Seconds that a test of a device may take")
set(device_ranks 1 2 3)
set(device_environments plain)
set(device_environment_plain ${test_environment})
add_custom_target(device_tests DEPENDS helmbone helmbone-bench helmbone-inspect helmbone-matcore)
if(HELMBONE_GPU STREQUAL amd AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  include(tests/amdgpu/amdgpu.cmake)
  add_dependencies(device_tests isahip isarun_program)
  if(TARGET amdgpu_suite)
    add_custom_target(amdgpu_tests DEPENDS isahip isarun_program amdgpu_suite amdgpu_selftest)
  endif()
  set(interpreted ON)
  if(EXISTS /dev/kfd)
    set(interpreted OFF)
  endif()
  option(HELMBONE_INTERPRETED "Run the device tests on the interpreter" ${interpreted})
endif()
if(HELMBONE_INTERPRETED)
  list(GET gpu_architectures 0 architecture)
  set(device_environments plain shuffled)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/amdgpu/cache)
  list(APPEND device_environment_plain LD_PRELOAD=${ISAHIP_LIBRARY} ISARUN_ARCH=${architecture}
       ISARUN_RACE=error ISARUN_CACHE=${PROJECT_BINARY_DIR}/amdgpu/cache)
  # Every order and precision in one of the two (HB_TEST_ALL=1: in both); on gfx942 in the other one.
  # Tests of several ranks on one number of them each, by which the two and the architectures differ.
  set(halves 0 1)
  set(ranks_plain 3)
  set(ranks_shuffled 2)
  if(architecture STREQUAL gfx942)
    set(halves 1 0)
    set(ranks_plain 1)
  endif()
  # The last error is kept by ROCm 7's rules in the one, by ROCm 6's in the other.
  list(GET halves 1 half)
  set(device_environment_shuffled ${device_environment_plain} ISARUN_ORDER=rand7 ISARUN_QUANTUM=7
      ISARUN_REVERSE_GROUPS=1 ISARUN_ERRORS=rocm6 HB_TEST_HALF=${half})
  list(GET halves 0 half)
  list(APPEND device_environment_plain HB_TEST_HALF=${half})
endif()

# Registers a device test of `ranks` ranks: its name, then its command.
function(hb_add_device_test test)
  foreach(environment IN LISTS device_environments)
    set(name ${test})
    if(NOT environment STREQUAL plain)
      set(name ${test}_${environment})
    endif()
    add_test(NAME ${name} COMMAND ${ARGN})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${HELMBONE_DEVICE_TIMEOUT}
                         PROCESSORS ${ranks} ENVIRONMENT "${device_environment_${environment}}")
    if(NOT HELMBONE_REQUIRE_GPU)
      set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
    endif()
    if(test MATCHES "^mpi_" AND HELMBONE_INTERPRETED AND NOT ranks EQUAL ranks_${environment})
      set_tests_properties(${name} PROPERTIES LABELS full)
    endif()
  endforeach()
endfunction()

# Kernels that only tests launch.
file(GLOB gpu_test_sources CONFIGURE_DEPENDS tests/*.hip)
hb_of_this_platform(found ${gpu_test_sources})
if(found)
  add_library(hb_test_kernels STATIC)
  set_target_properties(hb_test_kernels PROPERTIES LINKER_LANGUAGE C)
  target_link_libraries(hb_test_kernels PUBLIC hb_kernels)
  hb_gpu_sources(hb_test_kernels "" ${found})
endif()

file(GLOB found CONFIGURE_DEPENDS tests/device_*.c)
hb_of_this_platform(device_tests ${found})
file(GLOB mpi_device_tests CONFIGURE_DEPENDS tests/mpi_device*.c)
foreach(source IN LISTS device_tests mpi_device_tests)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE hb_app_matcore hb_app_bench)
  add_dependencies(device_tests ${name})
  if(TARGET hb_test_kernels AND name STREQUAL device_mfma_contraction)
    target_link_libraries(${name} PRIVATE hb_test_kernels)
  endif()
  if(source IN_LIST device_tests)
    set(ranks 1)
    hb_add_device_test(${name} $<TARGET_FILE:${name}>)
  else()
    foreach(ranks IN LISTS device_ranks)
      hb_add_device_test(${name}_${ranks} ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks}
                         $<TARGET_FILE:${name}>)
    endforeach()
  endif()
endforeach()

file(GLOB found CONFIGURE_DEPENDS tests/end_to_end_device*.py)
hb_of_this_platform(device_scripts ${found})
if(NOT Python3_FOUND)
  set(device_scripts)
endif()
foreach(source IN LISTS device_scripts)
  get_filename_component(name ${source} NAME_WE)
  set(ranks 2)
  list(GET device_environments 0 device_environments) # the solver's tests do the shuffling
  hb_add_device_test(${name} ${Python3_EXECUTABLE} ${source} ${PROJECT_BINARY_DIR})
endforeach()

# The proofs of the f32 matrix instructions on gfx908, whose code the programs do not carry: the same
# tests with those kernels, and the device that opens with them, compiled for it.  The whole of that
# library is linked, so that nothing of the other architecture's takes its place.  The operators'
# kernels there, which take minutes to compile, are for device_tests_full.
set(gfx908_answer no)
if(HELMBONE_INTERPRETED AND HELMBONE_HIPCC MATCHES "hipcc$")
  hb_amd_try(gfx908 gfx908_answer)
endif()
add_custom_target(device_tests_full)
add_dependencies(device_tests_full device_tests)
if(gfx908_answer STREQUAL yes)
  function(hb_add_gfx908_library library)
    list(FILTER gpu_flags EXCLUDE REGEX "^--offload-arch=")
    list(APPEND gpu_flags --offload-arch=gfx908)
    add_library(${library} STATIC)
    set_target_properties(${library} PROPERTIES LINKER_LANGUAGE C)
    set(architectures gfx908)
    set(gpu_precisions 32)
    hb_gpu_sources(${library} _gfx908 ${ARGN})
  endfunction()
  hb_of_this_platform(gfx908_tests_sources ${gpu_test_sources})
  hb_add_gfx908_library(hb_gfx908 ${PROJECT_SOURCE_DIR}/kernels/device.hip
                        ${PROJECT_SOURCE_DIR}/kernels/matcore/mfma_probe.hip ${gfx908_tests_sources})
  set(gfx908_operators)
  foreach(source IN LISTS gpu_sources)
    hb_compiled(${source} platform how)
    if(platform STREQUAL amd)
      list(APPEND gfx908_operators ${source})
    endif()
  endforeach()
  hb_add_gfx908_library(hb_gfx908_operators ${gfx908_operators})
  set(gfx908_environment ${device_environment_plain} ISARUN_ARCH=gfx908)
  list(FILTER gfx908_environment EXCLUDE REGEX "^HB_TEST_HALF=") # they run once
  foreach(source IN LISTS device_tests)
    hb_compiled(${source} platform how)
    if(NOT platform STREQUAL amd)
      continue()
    endif()
    get_filename_component(name ${source} NAME_WE)
    set(libraries hb_gfx908)
    if(name MATCHES "^device_helmholtz")
      list(APPEND libraries hb_gfx908_operators)
      add_dependencies(device_tests_full ${name}_gfx908)
    else()
      add_dependencies(device_tests ${name}_gfx908)
    endif()
    add_executable(${name}_gfx908 ${source})
    add_dependencies(${name}_gfx908 ${libraries})
    list(TRANSFORM libraries REPLACE "(.+)" "$<TARGET_FILE:\\1>")
    target_link_libraries(${name}_gfx908 PRIVATE -Wl,--whole-archive ${libraries}
                          -Wl,--no-whole-archive)
    # What is in f64 alone comes from the kernels of this build's architecture.
    if(name STREQUAL device_mfma_contraction)
      target_link_libraries(${name}_gfx908 PRIVATE hb_test_kernels)
    endif()
    target_link_libraries(${name}_gfx908 PRIVATE hb_app_matcore)
    add_test(NAME ${name}_gfx908 COMMAND ${name}_gfx908)
    set_tests_properties(${name}_gfx908 PROPERTIES SKIP_RETURN_CODE 77
                         TIMEOUT ${HELMBONE_DEVICE_TIMEOUT}
                         ENVIRONMENT "${gfx908_environment}")
    if(name MATCHES "^device_helmholtz")
      set_tests_properties(${name}_gfx908 PROPERTIES LABELS full)
    endif()
  endforeach()
  add_executable(helmbone-matcore_gfx908 app/matcore/matcore.c)
  target_link_libraries(helmbone-matcore_gfx908 PRIVATE -Wl,--whole-archive
                        $<TARGET_FILE:hb_gfx908> -Wl,--no-whole-archive hb_app_matcore)
  add_dependencies(helmbone-matcore_gfx908 hb_gfx908)
  add_dependencies(device_tests helmbone-matcore_gfx908)
  add_test(NAME device_matcore_probe_gfx908 COMMAND helmbone-matcore_gfx908 probe)
  set_tests_properties(device_matcore_probe_gfx908 PROPERTIES
    ENVIRONMENT "${gfx908_environment}"
    PASS_REGULAR_EXPRESSION "gfx908,.*16x16x4f32: A 64 of 64, B 64 of 64 .*: right"
    FAIL_REGULAR_EXPRESSION "WRONG;f64")
endif()

# What only the interpreter can be: a node of two devices, one of another architecture, and none.
if(HELMBONE_INTERPRETED)
  set(binding ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 3 $<TARGET_FILE:mpi_device_binding>)
  add_test(NAME mpi_device_binding_two_devices COMMAND ${binding})
  add_test(NAME mpi_device_binding_no_device COMMAND ${binding})
  add_test(NAME device_device_other_architecture COMMAND device_device)
  set_tests_properties(mpi_device_binding_two_devices PROPERTIES
    ENVIRONMENT "${device_environment_plain};ISARUN_DEVICES=2")
  set_tests_properties(mpi_device_binding_no_device PROPERTIES
    ENVIRONMENT "${device_environment_plain};ISARUN_DEVICES=0"
    PASS_REGULAR_EXPRESSION "skipped: no device" FAIL_REGULAR_EXPRESSION "failed: [1-9]")
  set(other gfx942)
  if(other IN_LIST gpu_architectures)
    set(other gfx908)
  endif()
  set_tests_properties(device_device_other_architecture PROPERTIES
    ENVIRONMENT "${device_environment_plain};ISARUN_ARCH=${other}"
    PASS_REGULAR_EXPRESSION "${other}\\): this program holds code for .*ARCHITECTURES=${other}")
endif()

# The machine code: read by isa_X.py, and executed where these launch count_X.c on the interpreter.
file(GLOB count_programs CONFIGURE_DEPENDS tests/count_*.c)
foreach(source IN LISTS count_programs)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE hb_app_matcore)
  add_dependencies(device_tests ${name})
endforeach()
if(TARGET isarun_program AND Python3_FOUND)
  add_executable(launch_geometry tests/launch_geometry.cpp)
  target_link_libraries(launch_geometry PRIVATE hb_flags)
  target_compile_features(launch_geometry PRIVATE cxx_std_17)
  add_dependencies(device_tests launch_geometry)
  file(GLOB isa_tests CONFIGURE_DEPENDS tests/isa_*.py)
  foreach(source IN LISTS isa_tests)
    get_filename_component(name ${source} NAME_WE)
    add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${source} ${PROJECT_BINARY_DIR})
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600
      ENVIRONMENT "${test_environment};ISARUN=${ISARUN_PROGRAM};ISAHIP=${ISAHIP_LIBRARY};\
ISARUN_CACHE=${PROJECT_BINARY_DIR}/amdgpu/cache")
  endforeach()
endif()
