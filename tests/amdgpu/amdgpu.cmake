# SPDX-License-Identifier: BSD-3-Clause
# Builds the interpreter of AMD GPU code, its HIP runtime, and its own tests; see README.md beside it.
#
# Targets: isarun (library), isarun_program (the program isarun), isahip (libisahip.so, to preload).
# Their paths for others: ISARUN_PROGRAM, ISAHIP_LIBRARY.  Needed besides a C++17 compiler: HIP's
# headers.  Another build's can be taken, which saves half a minute: HELMBONE_INTERPRETER_OF.
# The tests want hipcc (gfx90a, gfx908) and a newer clang (gfx942); without one its tests are left out.
enable_language(CXX)
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  message(FATAL_ERROR "The interpreter of AMD GPU code runs on x86-64 only")
endif()
set(amdgpu_dir ${CMAKE_CURRENT_LIST_DIR})
get_filename_component(amdgpu_root ${amdgpu_dir}/../.. ABSOLUTE)
set(amdgpu_build ${CMAKE_CURRENT_BINARY_DIR}/amdgpu)
file(MAKE_DIRECTORY ${amdgpu_build})
set(rocm_hints $ENV{ROCM_PATH} /opt/rocm)
find_path(AMDGPU_HIP_INCLUDE hip/hip_runtime_api.h HINTS ${rocm_hints} PATH_SUFFIXES include)
find_program(AMDGPU_HIPCC hipcc HINTS ${rocm_hints} PATH_SUFFIXES bin)
find_program(AMDGPU_CLANG NAMES clang++-19 clang++-18 amdclang++ HINTS ${rocm_hints}
             PATH_SUFFIXES bin llvm/bin)
if(NOT AMDGPU_HIP_INCLUDE)
  message(FATAL_ERROR "No hip/hip_runtime_api.h; set AMDGPU_HIP_INCLUDE (Debian: libamdhip64-dev)")
endif()

set(ISAHIP_LIBRARY ${amdgpu_build}/libisahip.so)
set(ISARUN_PROGRAM ${amdgpu_build}/isarun)
set(HELMBONE_INTERPRETER_OF "" CACHE PATH "A build for AMD whose interpreter this one takes")
if(HELMBONE_INTERPRETER_OF)
  add_custom_target(isahip
    COMMAND ${CMAKE_COMMAND} --build ${HELMBONE_INTERPRETER_OF} --target isahip isarun_program
    COMMAND ${CMAKE_COMMAND} -E create_symlink ${HELMBONE_INTERPRETER_OF}/amdgpu/libisahip.so
            ${ISAHIP_LIBRARY}
    COMMAND ${CMAKE_COMMAND} -E create_symlink ${HELMBONE_INTERPRETER_OF}/amdgpu/isarun
            ${ISARUN_PROGRAM}
    COMMENT "Taking the interpreter of ${HELMBONE_INTERPRETER_OF}" VERBATIM)
  add_custom_target(isarun_program DEPENDS isahip)
  return()
endif()

# ---- library, program, runtime
add_custom_command(OUTPUT ${amdgpu_build}/mfma_rows.cpp VERBATIM
  COMMAND ${CMAKE_COMMAND} -DTABLE=${amdgpu_dir}/mfma_layouts.tsv
          -DOUTPUT=${amdgpu_build}/mfma_rows.cpp -P ${amdgpu_dir}/mfma_rows.cmake
  DEPENDS ${amdgpu_dir}/mfma_layouts.tsv ${amdgpu_dir}/mfma_rows.cmake)
file(GLOB isarun_sources CONFIGURE_DEPENDS ${amdgpu_dir}/*.cpp)
file(GLOB isahip_sources CONFIGURE_DEPENDS ${amdgpu_dir}/hip_*.cpp)
list(REMOVE_ITEM isarun_sources ${isahip_sources} ${amdgpu_dir}/cli.cpp)
add_library(isarun STATIC ${isarun_sources} ${amdgpu_build}/mfma_rows.cpp)
add_library(isahip SHARED ${isahip_sources})
add_executable(isarun_program ${amdgpu_dir}/cli.cpp)
foreach(target isarun isahip isarun_program)
  target_include_directories(${target} PUBLIC ${amdgpu_root})
  target_compile_features(${target} PUBLIC cxx_std_17)
  # The interpreter rounds as the instructions do: nothing is contracted.  FMA and F16C are all it
  # asks of the CPU; AVX2 comes with them.
  target_compile_options(${target} PRIVATE -O2 -ffp-contract=off -fno-strict-aliasing -Wall -Wextra
                         $<$<BOOL:${HELMBONE_WERROR}>:-Werror>)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
endforeach()
target_compile_options(isarun PRIVATE -mavx2 -mfma -mf16c)
# Loops over the lanes.
foreach(file lds lds_check mfma valu_float valu_int wave_run)
  set_source_files_properties(${amdgpu_dir}/${file}.cpp PROPERTIES COMPILE_OPTIONS -O3)
endforeach()
target_include_directories(isahip SYSTEM PRIVATE ${AMDGPU_HIP_INCLUDE})
target_compile_options(isahip PRIVATE -Wno-ignored-attributes)
target_link_libraries(isahip PRIVATE isarun)
target_link_options(isahip PRIVATE -Wl,--exclude-libs,ALL)
target_link_libraries(isarun_program PRIVATE isarun)
set_target_properties(isarun_program PROPERTIES OUTPUT_NAME isarun)
set_target_properties(isarun isahip isarun_program PROPERTIES
  ARCHIVE_OUTPUT_DIRECTORY ${amdgpu_build} LIBRARY_OUTPUT_DIRECTORY ${amdgpu_build}
  RUNTIME_OUTPUT_DIRECTORY ${amdgpu_build})

# ---- tests
if(NOT BUILD_TESTING)
  return()
endif()
set(selftest ${amdgpu_dir}/selftest)
set(amdgpu_outputs)
file(GLOB suite_sources CONFIGURE_DEPENDS ${selftest}/*.cpp)
add_executable(amdgpu_suite ${suite_sources})
target_link_libraries(amdgpu_suite PRIVATE isarun)
target_compile_options(amdgpu_suite PRIVATE -O1 -mfma -mf16c -ffp-contract=off -Wall -Wextra)
set_target_properties(amdgpu_suite PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${amdgpu_build})
file(GLOB suite_kernels CONFIGURE_DEPENDS ${selftest}/kernels*)

# Device libraries for the newer clang: it asks for those of gfx942, where older packages have those
# of gfx940 only, which is the same machine.
file(GLOB bitcode /usr/lib/*/amdgcn/bitcode/*.bc /opt/rocm/amdgcn/bitcode/*.bc)
foreach(file IN LISTS bitcode)
  get_filename_component(name ${file} NAME)
  file(MAKE_DIRECTORY ${amdgpu_build}/bitcode)
  file(CREATE_LINK ${file} ${amdgpu_build}/bitcode/${name} SYMBOLIC)
endforeach()
if(NOT EXISTS ${amdgpu_build}/bitcode/oclc_isa_version_942.bc AND
   EXISTS ${amdgpu_build}/bitcode/oclc_isa_version_940.bc)
  file(CREATE_LINK ${amdgpu_build}/bitcode/oclc_isa_version_940.bc
       ${amdgpu_build}/bitcode/oclc_isa_version_942.bc SYMBOLIC)
endif()
get_filename_component(hip_prefix ${AMDGPU_HIP_INCLUDE} DIRECTORY)
set(amdgpu_hipcc ${AMDGPU_HIPCC} -I${amdgpu_root})
set(amdgpu_clang ${AMDGPU_CLANG} -x hip --rocm-path=${hip_prefix}
    --rocm-device-lib-path=${amdgpu_build}/bitcode -I${amdgpu_root})

# COMPILER (hipcc, clang) ARCH VARIANT OPTION...: kernels.hip as a code object for the suite.
function(amdgpu_code_object compiler arch variant)
  set(object ${amdgpu_build}/${arch}_${variant}.co)
  add_custom_command(OUTPUT ${object} VERBATIM
    COMMAND ${amdgpu_${compiler}} --offload-arch=${arch} ${ARGN} --cuda-device-only
            --no-gpu-bundle-output -c ${selftest}/kernels.hip -o ${object}
    DEPENDS ${suite_kernels})
  set(objects_${arch} ${objects_${arch}} ${object} PARENT_SCOPE)
  set(amdgpu_outputs ${amdgpu_outputs} ${object} PARENT_SCOPE)
endfunction()
# COMPILER ARCH NAME OPTION...: selftest/NAME.hip as the program NAME_ARCH.
function(amdgpu_program compiler arch name)
  set(program ${amdgpu_build}/${name}_${arch})
  add_custom_command(OUTPUT ${program} VERBATIM
    COMMAND ${amdgpu_${compiler}} --offload-arch=${arch} -std=c++17 -O2 ${selftest}/${name}.hip -o ${program}
            ${ARGN}
    DEPENDS ${selftest}/${name}.hip)
  set(amdgpu_outputs ${amdgpu_outputs} ${program} PARENT_SCOPE)
endfunction()
# NAME PROGRAM ENVIRONMENT ARGUMENT...: amdgpu_NAME runs the program under the interpreter.
function(amdgpu_test name program environment)
  add_test(NAME amdgpu_${name} COMMAND ${amdgpu_build}/${program} ${ARGN})
  set_tests_properties(amdgpu_${name} PROPERTIES TIMEOUT 120
                       ENVIRONMENT "LD_PRELOAD=${ISAHIP_LIBRARY};${environment}")
endfunction()

if(AMDGPU_HIPCC)
  amdgpu_code_object(hipcc gfx90a O3 -O3)
  amdgpu_code_object(hipcc gfx90a O1 -O1)
  amdgpu_code_object(hipcc gfx90a O0 -O0)
  amdgpu_code_object(hipcc gfx90a ftz -O2 -fgpu-flush-denormals-to-zero -munsafe-fp-atomics)
  amdgpu_code_object(hipcc gfx908 O3 -O3)
  amdgpu_code_object(hipcc gfx908 O0 -O0)
  foreach(name program faults many_kernels runtime)
    amdgpu_program(hipcc gfx90a ${name})
  endforeach()
  amdgpu_program(hipcc gfx908 program)
  amdgpu_test(program_gfx90a program_gfx90a "")
  amdgpu_test(program_shuffled program_gfx90a
              "ISARUN_ORDER=rand7;ISARUN_QUANTUM=7;ISARUN_REVERSE_GROUPS=1")
  amdgpu_test(program_gfx908 program_gfx908 "")
  amdgpu_test(many_kernels many_kernels_gfx90a "")
  amdgpu_test(runtime runtime_gfx90a "ISARUN_DEVICES=3;ISARUN_MEMORY_BYTES=1000000" devices)
  amdgpu_test(runtime_rocm6 runtime_gfx90a
              "ISARUN_DEVICES=3;ISARUN_MEMORY_BYTES=1000000;ISARUN_ERRORS=rocm6" devices)
  amdgpu_test(runtime_no_device runtime_gfx90a "ISARUN_DEVICES=0" no_device)
  amdgpu_test(runtime_no_binary runtime_gfx90a "ISARUN_ARCH=gfx908" no_binary)
  add_test(NAME amdgpu_faults COMMAND bash ${selftest}/faults.sh ${amdgpu_build}/faults_gfx90a
           ${ISAHIP_LIBRARY})
  find_package(MPI COMPONENTS C)
  if(MPI_C_FOUND)
    list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE mpi_includes)
    list(TRANSFORM MPI_C_LIBRARIES PREPEND -Wl, OUTPUT_VARIABLE mpi_libraries)
    amdgpu_program(hipcc gfx90a ranks ${mpi_includes} -DOMPI_SKIP_MPICXX ${mpi_libraries})
    add_test(NAME amdgpu_ranks
             COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 3 env
                     LD_PRELOAD=${ISAHIP_LIBRARY} ${amdgpu_build}/ranks_gfx90a)
    set_tests_properties(amdgpu_ranks PROPERTIES TIMEOUT 120 PROCESSORS 3 ENVIRONMENT
      "ISARUN_DEVICES=2;${launcher}")
  endif()
endif()
if(AMDGPU_CLANG AND bitcode)
  amdgpu_code_object(clang gfx90a v5 -O3 -mcode-object-version=5)
  amdgpu_code_object(clang gfx942 O3 -O3 -mcode-object-version=5)
  amdgpu_code_object(clang gfx942 O1 -O1 -mcode-object-version=5)
  amdgpu_code_object(clang gfx942 O0 -O0 -mcode-object-version=5)
  amdgpu_code_object(clang gfx942 ftz -O2 -fgpu-flush-denormals-to-zero -munsafe-fp-atomics)
  amdgpu_program(clang gfx942 program -L${hip_prefix}/lib -lamdhip64)
  amdgpu_test(program_gfx942 program_gfx942 "")
endif()
foreach(arch gfx908 gfx90a gfx942)
  if(objects_${arch})
    add_test(NAME amdgpu_instructions_${arch} COMMAND amdgpu_suite ${objects_${arch}})
    set_tests_properties(amdgpu_instructions_${arch} PROPERTIES TIMEOUT 300)
  endif()
endforeach()
add_custom_target(amdgpu_selftest ALL DEPENDS ${amdgpu_outputs})
