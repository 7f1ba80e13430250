/* SPDX-License-Identifier: BSD-3-Clause
 * helmbone-matcore roof: modelled times of the operator's strategies on the command line. */
#ifndef HB_APP_MATCORE_ROOF_H
#define HB_APP_MATCORE_ROOF_H

/* argv[0] is the sub-command's own name, "roof".  Prints to standard output; returns the exit code,
 * an enum hb_status; what went wrong is in the error record. */
int hb_matcore_roof(int argc, char **argv);

#endif
