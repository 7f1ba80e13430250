/* SPDX-License-Identifier: BSD-3-Clause
 * The kernels that the interpreter is tested with, in one translation unit. */
#include "tests/amdgpu/selftest/kernels_arithmetic.h"
#include "tests/amdgpu/selftest/kernels_control.h"
#include "tests/amdgpu/selftest/kernels_faults.h"
#include "tests/amdgpu/selftest/kernels_helmholtz.h"
#include "tests/amdgpu/selftest/kernels_math.h"
#include "tests/amdgpu/selftest/kernels_matrix.h"
#include "tests/amdgpu/selftest/kernels_memory.h"
