/* SPDX-License-Identifier: BSD-3-Clause
 * The machine constants that the models use. */
#include "kernels/matcore/machine_table.h"

#include <ctype.h>

/* Matrix flops of AMD: 2 M N K blocks / cycles * 4 SIMDs, from AMD's matrix instruction calculator
 * (f32 16x16x4: 256; f64 16x16x4: 256 on gfx90a, gfx942, none on gfx908).  The H100 and H200 have
 * no f32 matrix instruction (TF32 keeps 10 bits), nor have B200 and B300.  Peak rates of the data
 * sheets follow from each row as CUs x clock x flops; unit_roof checks that. */
static const struct hb_machine machines[] = {
    {"MI100",
     "gfx908",
     120,
     1.502e9,
     1.2288e12,
     128,
     {0, 256},
     {64, 128},
     "AMD Instinct MI100 data sheet: 120 CUs, 1502 MHz, 1228.8 GB/s, f64 11.5, f32 23.1, matrix "
     "f32 46.1 TFLOPS"},
    {"MI250X",
     "gfx90a",
     110,
     1.7e9,
     1.6e12,
     128,
     {256, 256},
     {128, 128},
     "one GCD, half of AMD Instinct MI250X data sheet: 220 CUs, 1700 MHz, 3.2 TB/s, f64 and f32 "
     "47.9, matrix f64 and f32 95.7 TFLOPS"},
    {"MI300A",
     "gfx942",
     228,
     2.1e9,
     5.3e12,
     128,
     {256, 256},
     {128, 256},
     "AMD Instinct MI300A data sheet: 228 CUs, 2100 MHz, 5.3 TB/s, f64 61.3, f32 122.6, matrix "
     "f64 and f32 122.6 TFLOPS"},
    {"MI300X",
     "gfx942",
     304,
     2.1e9,
     5.3e12,
     128,
     {256, 256},
     {128, 256},
     "AMD Instinct MI300X data sheet: 304 CUs, 2100 MHz, 5.3 TB/s, f64 81.7, f32 163.4, matrix "
     "f64 and f32 163.4 TFLOPS"},
    {"MI325X",
     "gfx942",
     304,
     2.1e9,
     6.0e12,
     128,
     {256, 256},
     {128, 256},
     "AMD Instinct MI325X, not checked: 304 CUs, 2100 MHz, 6 TB/s, f64 81.7, f32 163.4, matrix "
     "f64 and f32 163.4 TFLOPS"},
    {"MI355X",
     "gfx950",
     256,
     2.4e9,
     8.0e12,
     256,
     {128, 256},
     {128, 256},
     "AMD Instinct MI355X, not checked: 256 CUs, 2400 MHz, 8 TB/s, f64 and matrix f64 78.6, f32 "
     "and "
     "matrix f32 157.3 TFLOPS; LDS of 64 banks"},
    {"H100",
     "sm_90",
     132,
     1.98e9,
     3.35e12,
     128,
     {256, 0},
     {128, 256},
     "NVIDIA H100 SXM5 data sheet: 132 SMs, 1980 MHz, 3.35 TB/s, f64 34, f32 67, tensor f64 67 "
     "TFLOPS; shared memory 32 banks of 4 bytes (CUDA C++ Programming Guide)"},
    {"H200",
     "sm_90",
     132,
     1.98e9,
     4.8e12,
     128,
     {256, 0},
     {128, 256},
     "NVIDIA H200 SXM data sheet: 132 SMs, 1980 MHz, 4.8 TB/s, f64 34, f32 67, tensor f64 67 "
     "TFLOPS; shared memory as H100"},
    {"B200",
     "sm_100",
     148,
     1.965e9,
     8.0e12,
     128,
     {128, 0},
     {128, 256},
     "NVIDIA HGX B200, one of eight, not checked: f64 and tensor f64 37, f32 75 TFLOPS, 8 TB/s "
     "(some "
     "boards 7.7); 148 SMs and the clock that gives these rates; shared memory as H100"},
    {"B300",
     "sm_103",
     160,
     1.92e9,
     8.0e12,
     128,
     {4, 0},
     {4, 256},
     "NVIDIA B300, third parties, not checked: f64 and tensor f64 1.25, f32 80 TFLOPS, 8 TB/s; 160 "
     "SMs and the clock that gives these rates; f64 is all but gone; shared memory as H100"},
};

enum { NUM_MACHINES = sizeof machines / sizeof machines[0] };

int hb_machine_count(void) { return NUM_MACHINES; }

const struct hb_machine *hb_machine_at(int index) {
  HB_ASSERT(index >= 0 && index < NUM_MACHINES);
  return &machines[index];
}

static bool same_word(const char *a, const char *b) {
  while (*a != '\0' && toupper((unsigned char)*a) == toupper((unsigned char)*b)) a++, b++;
  return *a == *b;
}

const struct hb_machine *hb_machine_find(const char *name) {
  for (int m = 0; m < NUM_MACHINES; m++)
    if (same_word(name, machines[m].name)) return &machines[m];
  return NULL;
}
