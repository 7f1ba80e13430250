# SPDX-License-Identifier: BSD-3-Clause
# The GPU part of the build: its compiler, architectures and flags, and the objects of .hip files.
#
# CMake's HIP language needs more of ROCm than Linux distributions bring, so .hip files are compiled
# by custom commands.  amd.cmake or nvidia.cmake takes gpu_wanted (wanted.cmake) and sets
#   gpu_compiler, gpu_compiler_words   the program, and what the report calls it
#   gpu_architectures                  those that are built in
#   gpu_flags, gpu_libraries           to compile with, and to link with
# Reports what a compiler said that cannot compile at all.
function(hb_gpu_refuse what log)
  message(FATAL_ERROR "${what}\n${log}\n"
          "Choose with -DHELMBONE_GPU=none|amd|nvidia, -DHELMBONE_GPU_ARCHITECTURES=..., "
          "-DHELMBONE_HIPCC=... or -DHELMBONE_NVCC=...")
endfunction()

set(HELMBONE_GPU_ARCHITECTURES "" CACHE STRING
    "GPU architectures; empty: gfx90a;gfx942 as far as the compiler can (amd), 80;90 (nvidia)")
include(${CMAKE_CURRENT_LIST_DIR}/wanted.cmake)
hb_wanted_architectures(${HELMBONE_GPU} gpu_wanted)
set(gpu_folder ${PROJECT_BINARY_DIR}/gpu)
file(MAKE_DIRECTORY ${gpu_folder})
include(${CMAKE_CURRENT_LIST_DIR}/${HELMBONE_GPU}.cmake)
if(CMAKE_BUILD_TYPE STREQUAL Debug)
  list(APPEND gpu_flags -O1 -g)
else()
  list(APPEND gpu_flags -O3 -DNDEBUG)
endif()
option(HELMBONE_FEW_ORDERS "Kernels of a few orders alone: shows that they compile, solves little" OFF)
if(HELMBONE_FEW_ORDERS)
  list(APPEND gpu_flags -DHB_FEW_ORDERS=1)
endif()
set(HELMBONE_RECOMPUTED_ORDERS "" CACHE STRING
    "Bits 1 << n where kernels are built for geometry that is not stored; empty: all")
mark_as_advanced(HELMBONE_RECOMPUTED_ORDERS)
if(HELMBONE_RECOMPUTED_ORDERS)
  list(APPEND gpu_flags -DHB_RECOMPUTED_ORDERS=${HELMBONE_RECOMPUTED_ORDERS})
  add_compile_definitions(HB_RECOMPUTED_ORDERS=${HELMBONE_RECOMPUTED_ORDERS}) # for the table, in C
endif()
# A change of the flags has to compile anew.
file(CONFIGURE OUTPUT ${gpu_folder}/flags CONTENT "${gpu_compiler_words};${gpu_flags}\n" @ONLY)
list(JOIN gpu_architectures " " words)
message(STATUS "GPU: ${HELMBONE_GPU}, ${words}, by ${gpu_compiler_words}")

# Compiles the source with the definitions to gpu/NAME.o, a part of the target.
function(hb_gpu_object target name source)
  set(object ${gpu_folder}/${name}.o)
  list(TRANSFORM ARGN PREPEND -D)
  add_custom_command(
    OUTPUT ${object} DEPFILE ${object}.d
    COMMAND ${gpu_compiler} ${gpu_flags} ${ARGN} -I${PROJECT_SOURCE_DIR} -MD -MF ${object}.d
            -MT ${object} -c ${source} -o ${object}
    DEPENDS ${source} ${gpu_folder}/flags
    COMMENT "Building GPU object gpu/${name}.o" VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_sources(${target} PRIVATE ${object})
endfunction()
