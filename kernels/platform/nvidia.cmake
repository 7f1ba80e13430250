# SPDX-License-Identifier: BSD-3-Clause
# NVIDIA: nvcc, the architectures by their numbers, and the CUDA runtime linked statically.
set(HELMBONE_NVCC nvcc CACHE STRING "CUDA's compiler")
unset(HELMBONE_NVCC_PATH CACHE) # the name may have changed
find_program(HELMBONE_NVCC_PATH ${HELMBONE_NVCC}
             HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
if(NOT HELMBONE_NVCC_PATH)
  message(FATAL_ERROR "no ${HELMBONE_NVCC}: set CUDA_HOME or -DHELMBONE_NVCC=...")
endif()
set(gpu_compiler ${HELMBONE_NVCC_PATH})
execute_process(COMMAND ${gpu_compiler} --version OUTPUT_VARIABLE version)
string(REGEX MATCH "V[0-9.]+" version "${version}")
set(gpu_compiler_words "nvcc ${version}")

set(gpu_architectures ${gpu_wanted})
if(NOT gpu_architectures)
  set(gpu_architectures 80 90)
endif()
set(gpu_flags -x cu -std=c++17 -Xcompiler -fPIC,-Wall,-Wextra)
foreach(architecture IN LISTS gpu_architectures)
  list(APPEND gpu_flags -gencode arch=compute_${architecture},code=sm_${architecture})
endforeach()
if(CMAKE_BUILD_TYPE STREQUAL Debug)
  list(APPEND gpu_flags -lineinfo)
endif()
if(HELMBONE_WERROR)
  list(APPEND gpu_flags -Werror all-warnings)
endif()

get_filename_component(cuda ${gpu_compiler} REALPATH)
get_filename_component(cuda ${cuda} DIRECTORY)
get_filename_component(cuda ${cuda} DIRECTORY)
find_library(HELMBONE_CUDA_RUNTIME cudart_static HINTS ${cuda} PATHS /usr/local/cuda
             PATH_SUFFIXES lib64 lib targets/${CMAKE_SYSTEM_PROCESSOR}-linux/lib)
if(NOT HELMBONE_CUDA_RUNTIME)
  message(FATAL_ERROR "no libcudart_static.a beside ${gpu_compiler}: set -DHELMBONE_CUDA_RUNTIME=...")
endif()
find_package(Threads REQUIRED)
set(gpu_libraries ${HELMBONE_CUDA_RUNTIME} Threads::Threads ${CMAKE_DL_LIBS} rt stdc++)
