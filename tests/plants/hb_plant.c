/* SPDX-License-Identifier: BSD-3-Clause
 * Which fault of the planted copy is active: its number in HELMBONE_PLANT, none without. */
#include <stdlib.h>

/* The copy's sources declare them: number of the plant, this rank and their number, and, while a
 * solve runs, which one and how many iterations it has begun. */
int hb_plant, hb_plant_rank, hb_plant_ranks, hb_plant_solve, hb_plant_last_solve, hb_plant_passes;

__attribute__((constructor)) static void choose_plant(void) {
  const char *number = getenv("HELMBONE_PLANT");
  hb_plant = number != NULL ? atoi(number) : 0;
  hb_plant_solve = -1;
}
