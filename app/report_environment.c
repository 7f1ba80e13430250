/* SPDX-License-Identifier: BSD-3-Clause
 * Variables of the environment that can change a figure. */
#include "app/report_environment.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 256 };

static bool begins(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

bool hb_environment_matters(const char *name) {
  static const char *const beginnings[] = {
      "SLURM_", "SRUN_", "PMI_",   "PMIX_RANK", "PALS_", "FLUX_JOB_", "FLUX_TASK_", "JSM_",
      "OMP_",   "GOMP_", "KMP_",   "OMPI_",     "PRTE_", "MPICH_",    "MPIR_",      "MV2_",
      "I_MPI_", "FI_",   "UCX_",   "ROMIO_",    "ROCR_", "HIP_",      "HSA_",       "AMD_",
      "GPU_",   "CUDA_", "NVIDIA", "ISARUN_",   "HDF5_", "CRAY_",     "LD_PRELOAD", "MALLOC_"};
  static const char *const secrets[] = {"TOKEN",      "SECRET", "PASSW",
                                        "CREDENTIAL", "JWT",    "_KEY",
                                        "AUTH",       "COOKIE", "transport" /* Open MPI keys */,
                                        "_uri",       "ARGV"};
  char own[NAME_BYTES];
  const size_t length = strcspn(name, "=");
  if (length == 0 || length >= sizeof own) return false;
  memcpy(own, name, length);
  own[length] = '\0';
  for (size_t s = 0; s < sizeof secrets / sizeof *secrets; s++)
    if (strstr(own, secrets[s]) != NULL) return false;
  for (size_t b = 0; b < sizeof beginnings / sizeof *beginnings; b++)
    if (begins(own, beginnings[b])) return true;
  return false;
}

static int compare(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void put_variable(const char *variable, struct hb_json *json) {
  char name[NAME_BYTES];
  const size_t length = strcspn(variable, "=");
  memcpy(name, variable, length);
  name[length] = '\0';
  hb_json_text(json, name, variable[length] == '=' ? variable + length + 1 : "");
}

/* "gcc/12:openmpi/4.1" */
static void put_modules(char **environment, struct hb_json *json) {
  static const char name[] = "LOADEDMODULES=";
  hb_json_open_array(json, "modules");
  for (char **variable = environment; *variable != NULL; variable++) {
    if (!begins(*variable, name)) continue;
    for (const char *at = *variable + sizeof name - 1; *at != '\0';) {
      const size_t length = strcspn(at, ":");
      if (length > 0) hb_json_bytes(json, NULL, at, length);
      at += length + (at[length] == ':' ? 1 : 0);
    }
  }
  hb_json_close(json);
}

enum hb_status hb_environment_put(char **environment, struct hb_json *json) {
  enum hb_status status = HB_OK;
  char **sorted = NULL;
  size_t count = 0, kept = 0;
  while (environment[count] != NULL) count++;
  HB_ALLOC(sorted, count, "environment");
  for (size_t v = 0; v < count; v++)
    if (hb_environment_matters(environment[v])) sorted[kept++] = environment[v];
  if (kept > 0) qsort(sorted, kept, sizeof *sorted, compare);
  hb_json_open_object(json, "environment");
  for (size_t v = 0; v < kept; v++) put_variable(sorted[v], json);
  hb_json_close(json);
  put_modules(environment, json);
done:
  hb_free(sorted);
  return status;
}
