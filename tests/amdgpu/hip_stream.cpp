/* SPDX-License-Identifier: BSD-3-Clause
 * HIP runtime: streams and events; all work is done when the call that asks for it returns. */
#include "tests/amdgpu/hip_state.h"

using namespace hipshim;

namespace {
/* The null stream and those of hipStreamLegacy, hipStreamPerThread are small numbers. */
hipError_t check_stream(hipStream_t stream) {
  Lock lock(state().lock);
  const bool known = (uintptr_t)stream <= 2 || state().streams.count(stream);
  return known ? hipSuccess : hipErrorInvalidHandle;
}
hipError_t check_event(hipEvent_t event) {
  Lock lock(state().lock);
  return state().events.count(event) ? hipSuccess : hipErrorInvalidHandle;
}
} /* namespace */

extern "C" {
hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned, int) {
  Lock lock(state().lock);
  if (state().num_devices == 0) return result(hipErrorNoDevice);
  *stream = (hipStream_t) new char[16];
  state().streams.insert(*stream);
  return result(hipSuccess);
}
hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags) {
  return hipStreamCreateWithPriority(stream, flags, 0);
}
hipError_t hipStreamCreate(hipStream_t *stream) {
  return hipStreamCreateWithPriority(stream, 0, 0);
}
hipError_t hipStreamDestroy(hipStream_t stream) {
  Lock lock(state().lock);
  if (!state().streams.erase(stream)) return result(hipErrorInvalidHandle);
  delete[](char *) stream;
  return result(hipSuccess);
}
/* A stream that is being recorded cannot be waited for. */
hipError_t hipStreamSynchronize(hipStream_t stream) {
  Lock lock(state().lock);
  if (state().recordings.count(stream)) return result(hipErrorStreamCaptureUnsupported);
  return result(check_stream(stream));
}
hipError_t hipStreamQuery(hipStream_t stream) { return result(check_stream(stream)); }
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned) {
  if (hipError_t error = check_stream(stream)) return result(error);
  return result(check_event(event));
}
/* Lower numbers are served first. */
hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
  if (least) *least = 1;
  if (greatest) *greatest = -1;
  return result(hipSuccess);
}

hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags) {
  Lock lock(state().lock);
  if (state().num_devices == 0) return result(hipErrorNoDevice);
  Event *e = new Event;
  e->timed = !(flags & hipEventDisableTiming);
  *event = (hipEvent_t)e;
  state().events.insert(e);
  return result(hipSuccess);
}
hipError_t hipEventCreate(hipEvent_t *event) { return hipEventCreateWithFlags(event, 0); }
hipError_t hipEventDestroy(hipEvent_t event) {
  Lock lock(state().lock);
  if (!state().events.erase(event)) return result(hipErrorInvalidHandle);
  delete (Event *)event;
  return result(hipSuccess);
}
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  if (hipError_t error = check_event(event)) return result(error);
  if (hipError_t error = check_stream(stream)) return result(error);
  ((Event *)event)->time = std::chrono::steady_clock::now();
  ((Event *)event)->recorded = true;
  return result(hipSuccess);
}
hipError_t hipEventSynchronize(hipEvent_t event) { return result(check_event(event)); }
hipError_t hipEventQuery(hipEvent_t event) { return result(check_event(event)); }
hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t begin, hipEvent_t end) {
  if (hipError_t error = check_event(begin)) return result(error);
  if (hipError_t error = check_event(end)) return result(error);
  const Event &a = *(Event *)begin, &b = *(Event *)end;
  if (!a.recorded || !b.recorded || !a.timed || !b.timed) return result(hipErrorInvalidHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(b.time - a.time).count();
  return result(hipSuccess);
}
}
