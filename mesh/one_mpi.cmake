# SPDX-License-Identifier: BSD-3-Clause
# Refuses two MPI libraries in one program: this project's and the one that HDF5 was built with.
#
# Such a program configures, builds and solves, and aborts when it writes.  What the loader would take
# tells: a program that calls both is linked, and ldd lists its libraries.
string(MD5 key "${CMAKE_C_COMPILER};${MPI_C_LIBRARIES};${HDF5_C_LIBRARIES}")
if(NOT HB_ONE_MPI_${key})
  set(folder ${PROJECT_BINARY_DIR}/one_mpi)
  file(WRITE ${folder}/both.c "int H5open(void);\nint MPI_Finalize(void);\n"
       "int main(void) { return H5open() + MPI_Finalize(); }\n")
  try_compile(linked ${folder} ${folder}/both.c OUTPUT_VARIABLE log
              LINK_LIBRARIES MPI::MPI_C ${HDF5_C_LIBRARIES} COPY_FILE ${folder}/both)
  if(NOT linked)
    message(FATAL_ERROR "MPI (${MPI_C_LIBRARIES}) and HDF5 (${HDF5_C_LIBRARIES}) do not link:\n${log}")
  endif()
  execute_process(COMMAND ldd ${folder}/both OUTPUT_VARIABLE libraries ERROR_QUIET)
  # The C libraries of MPI alone: libmpi.so, libmpich.so, libmpi_cray.so, libmpi_gnu_123.so
  string(REGEX MATCHALL "libmpi(ch|_(cray|gnu|intel|nvidia|amd|aocc)[a-z0-9_]*)?[.]so[^ \n]*( => [^ \n]+)?"
         found "${libraries}")
  list(TRANSFORM found REPLACE ".* => " "")
  list(REMOVE_DUPLICATES found)
  list(LENGTH found count)
  if(count GREATER 1)
    list(JOIN found " and " found)
    message(FATAL_ERROR "two MPI libraries in one program, ${found}: MPI is ${MPI_C_LIBRARIES}, "
            "HDF5 is ${HDF5_C_LIBRARIES}.  Choose one of them with -DMPI_C_COMPILER=... or HDF5_ROOT, "
            "or a serial HDF5 with -DHELMBONE_SERIAL_HDF5=ON")
  endif()
  set(HB_ONE_MPI_${key} yes CACHE INTERNAL "")
endif()
