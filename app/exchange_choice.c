/* SPDX-License-Identifier: BSD-3-Clause
 * From the options to the exchange, and its lines of the report. */
#include "app/exchange_choice.h"

#include <math.h>

#include "app/operator_device.h"

static struct hb_exchange_request request_of(const struct hb_options *options, bool interpreted) {
  return (struct hb_exchange_request){.wish = options->exchange,
                                      .gpu_aware = options->gpu_aware,
                                      .timing = !options->autotune ? HB_EXCHANGE_NO_TUNING
                                                : interpreted      ? HB_EXCHANGE_INTERPRETED
                                                                   : HB_EXCHANGE_FASTEST};
}

enum hb_status hb_exchange_wish_check(bool on_gpu, const struct hb_options *options) {
  const struct hb_exchange_request request = request_of(options, false);
  return hb_exchange_check(on_gpu, &request);
}

enum hb_status hb_exchange_settle(const struct hb_backend *backend, struct hb_operator *op) {
  const struct hb_exchange_request request =
      request_of(backend->options, hb_backend_is_interpreted(backend));
  if (!hb_backend_on_gpu(backend)) return hb_exchange_choose_host(op->mesh->gs, &request);
  return hb_exchange_choose_device(hb_operator_device(op)->exchange, &request, backend->gpu_aware,
                                   backend->gpu_aware_reason);
}

void hb_exchange_print(FILE *stream, const struct hb_exchange_choice *choice, bool all) {
  static const char *const verdicts[] = {"left out", "not tried", "not available", "WRONG",
                                         "right"};
  fprintf(stream, "exchange: %s (%s", hb_exchange_name(choice),
          hb_exchange_reason_name(choice->reason));
  if (choice->reason == HB_EXCHANGE_FASTEST) fprintf(stream, " of %d", choice->timed);
  fprintf(stream, ")\n");
  if (choice->reason == HB_EXCHANGE_ALONE) return;
  for (int c = 0; c < choice->count; c++) {
    const struct hb_exchange_candidate *candidate = &choice->candidate[c];
    if (candidate->verdict == HB_EXCHANGE_LEFT_OUT && !all) continue;
    fprintf(stream, "exchange, %s: ", candidate->name);
    if (candidate->verdict != HB_EXCHANGE_RIGHT)
      fprintf(stream, "%s, %s\n", verdicts[candidate->verdict], candidate->words);
    else if (isnan(candidate->seconds))
      fprintf(stream, "right, not timed\n");
    else
      fprintf(stream, "%.1f us, right\n", 1e6 * candidate->seconds);
  }
}
