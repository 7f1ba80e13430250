# SPDX-License-Identifier: BSD-3-Clause
# Which GPU architectures the user asks for: HELMBONE_GPU_ARCHITECTURES, or, where that is empty, the
# variables that other projects have for it.  What cannot be built is refused here, by name.
#
# Kernels are written for waves of 64 lanes (32 on NVIDIA) and prove at the start of a run that their
# code is of the device's own architecture, which code for a generic target cannot.

# Ends the configuration if the architecture is none that kernels can be built for.
function(hb_check_architecture platform variable architecture)
  if(platform STREQUAL nvidia)
    if(NOT architecture MATCHES "^[0-9]+[af]?$")
      message(FATAL_ERROR "${variable}: '${architecture}' is no number like 90")
    endif()
  elseif(architecture MATCHES "-generic")
    message(FATAL_ERROR "${variable}: '${architecture}' is a generic target, whose code does not "
            "know which GPU it runs on; name the architectures, as in gfx90a;gfx942")
  elseif(architecture MATCHES "^gfx1[0-9]")
    message(FATAL_ERROR "${variable}: '${architecture}' has waves of 32 lanes, the kernels are "
            "written for 64; allowed: gfx906, gfx908, gfx90a, gfx942, gfx950, ...")
  elseif(NOT architecture MATCHES "^gfx9[0-9a-f]+(:[a-z]+[-+])*$")
    message(FATAL_ERROR "${variable}: '${architecture}' is no architecture like gfx90a")
  endif()
endfunction()

# Sets `result` to the architectures, empty if the user asks for none.
function(hb_wanted_architectures platform result)
  set(others CMAKE_HIP_ARCHITECTURES GPU_TARGETS AMDGPU_TARGETS)
  if(platform STREQUAL nvidia)
    set(others CMAKE_CUDA_ARCHITECTURES)
  endif()
  set(wanted)
  set(from)
  foreach(variable IN ITEMS HELMBONE_GPU_ARCHITECTURES ${others})
    if("${${variable}}" STREQUAL "")
      continue()
    endif()
    set(given ${${variable}})
    if(platform STREQUAL nvidia)
      list(TRANSFORM given REPLACE "-(real|virtual)$" "")
    endif()
    if(NOT from)
      set(from ${variable})
      set(wanted ${given})
      foreach(architecture IN LISTS given)
        hb_check_architecture(${platform} ${variable} ${architecture})
      endforeach()
      if(NOT variable STREQUAL HELMBONE_GPU_ARCHITECTURES)
        message(STATUS "GPU: architectures of ${variable}: ${given}")
      endif()
    elseif(NOT given STREQUAL wanted)
      message(STATUS "GPU: ${variable}=${given} is not taken: ${from}=${wanted} is")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES wanted)
  set(${result} "${wanted}" PARENT_SCOPE)
endfunction()
