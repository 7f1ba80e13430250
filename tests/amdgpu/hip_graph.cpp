/* SPDX-License-Identifier: BSD-3-Clause
 * HIP runtime: graphs, as recorded from a stream; launched, their work is done in that order. */
#include "tests/amdgpu/hip_state.h"

using namespace hipshim;

namespace hipshim {
hipError_t enqueue(hipStream_t stream, const std::function<hipError_t()> &work) {
  Lock lock(state().lock);
  auto found = state().recordings.find(stream);
  if (found == state().recordings.end()) return work();
  found->second->push_back(work);
  return hipSuccess;
}
} /* namespace hipshim */

namespace {
hipError_t forget(const void *handle) {
  Lock lock(state().lock);
  return state().graphs.erase(handle) ? hipSuccess : hipErrorInvalidHandle;
}
} /* namespace */

extern "C" {
hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode) {
  State &s = state();
  Lock lock(s.lock);
  if (!s.streams.count(stream)) return result(hipErrorInvalidHandle);
  if (s.recordings.count(stream)) return result(hipErrorIllegalState);
  s.recordings[stream].reset(new Work);
  return result(hipSuccess);
}
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph) {
  State &s = state();
  Lock lock(s.lock);
  auto found = s.recordings.find(stream);
  *graph = nullptr;
  if (found == s.recordings.end()) return result(hipErrorIllegalState);
  *graph = (hipGraph_t)found->second.get();
  s.graphs[*graph] = std::move(found->second);
  s.recordings.erase(found);
  return result(hipSuccess);
}
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status) {
  Lock lock(state().lock);
  *status =
      state().recordings.count(stream) ? hipStreamCaptureStatusActive : hipStreamCaptureStatusNone;
  return result(hipSuccess);
}
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *exec, hipGraph_t graph,
                                        unsigned long long) {
  State &s = state();
  Lock lock(s.lock);
  auto found = s.graphs.find(graph);
  if (found == s.graphs.end()) return result(hipErrorInvalidHandle);
  std::unique_ptr<Work> copy(new Work(*found->second));
  *exec = (hipGraphExec_t)copy.get();
  s.graphs[*exec] = std::move(copy);
  return result(hipSuccess);
}
hipError_t hipGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *, char *,
                               size_t) {
  return hipGraphInstantiateWithFlags(exec, graph, 0);
}
hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
  State &s = state();
  Lock lock(s.lock);
  auto found = s.graphs.find(exec);
  if (found == s.graphs.end()) return result(hipErrorInvalidHandle);
  if (!s.streams.count(stream)) return result(hipErrorInvalidHandle);
  for (const auto &work : *found->second)
    if (hipError_t error = enqueue(stream, work)) return result(error);
  return result(hipSuccess);
}
hipError_t hipGraphDestroy(hipGraph_t graph) { return result(forget(graph)); }
hipError_t hipGraphExecDestroy(hipGraphExec_t exec) { return result(forget(exec)); }
}
