/* SPDX-License-Identifier: BSD-3-Clause
 * A main function for fuzz targets where there is no libFuzzer: every file named is one input. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz.h"

/* A copy of exactly the file's size, so that the sanitizer sees a read past its end. */
static int replay(const char *path) {
  FILE *file = fopen(path, "rb");
  uint8_t *data = NULL;
  long size = -1;
  if (file == NULL) return -1;
  if (fseek(file, 0, SEEK_END) == 0) size = ftell(file);
  rewind(file);
  if (size >= 0) data = malloc((size_t)size + (size == 0));
  const int read = data != NULL && fread(data, 1, (size_t)size, file) == (size_t)size;
  fclose(file);
  if (read) LLVMFuzzerTestOneInput(data, (size_t)size);
  free(data);
  return read ? 0 : -1;
}

int main(int num_arguments, char **arguments) {
  LLVMFuzzerInitialize(&num_arguments, &arguments);
  for (int i = 1; i < num_arguments; i++)
    if (replay(arguments[i]) != 0) {
      fprintf(stderr, "cannot read %s\n", arguments[i]);
      return EXIT_FAILURE;
    }
  printf("inputs replayed: %d\n", num_arguments - 1);
  return num_arguments > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
