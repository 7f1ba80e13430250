/* SPDX-License-Identifier: BSD-3-Clause
 * The HIP names that our .hip files use, on the CUDA runtime (HIP's own headers for NVIDIA do not
 * compile with CUDA 13).  A name that is missing here is added here. */
#ifndef HB_KERNELS_PLATFORM_CUDA_NAMES_H
#define HB_KERNELS_PLATFORM_CUDA_NAMES_H

#include <cuda_runtime.h>

/* Errors and devices. */
#define hipDeviceAttributeMultiprocessorCount        cudaDevAttrMultiProcessorCount
#define hipDeviceGetAttribute                        cudaDeviceGetAttribute
#define hipDeviceProp_t                              cudaDeviceProp
#define hipDeviceSynchronize                         cudaDeviceSynchronize
#define hipDeviceGetPCIBusId                         cudaDeviceGetPCIBusId
#define hipDriverGetVersion                          cudaDriverGetVersion
#define hipError_t                                   cudaError_t
#define hipErrorInvalidDeviceFunction                cudaErrorInvalidDeviceFunction
#define hipErrorNoBinaryForGpu                       cudaErrorNoKernelImageForDevice
#define hipErrorOutOfMemory                          cudaErrorMemoryAllocation
#define hipFuncAttributeMaxDynamicSharedMemorySize   cudaFuncAttributeMaxDynamicSharedMemorySize
#define hipFuncAttributes                            cudaFuncAttributes
#define hipFuncGetAttributes                         cudaFuncGetAttributes
#define hipFuncSetAttribute                          cudaFuncSetAttribute
#define hipGetDevice                                 cudaGetDevice
#define hipGetDeviceCount                            cudaGetDeviceCount
#define hipGetDeviceProperties                       cudaGetDeviceProperties
#define hipGetErrorName                              cudaGetErrorName
#define hipGetErrorString                            cudaGetErrorString
#define hipGetLastError                              cudaGetLastError
#define hipOccupancyMaxActiveBlocksPerMultiprocessor cudaOccupancyMaxActiveBlocksPerMultiprocessor
#define hipRuntimeGetVersion                         cudaRuntimeGetVersion
#define hipSetDevice                                 cudaSetDevice
#define hipSuccess                                   cudaSuccess

/* Memory. */
#define hipFree               cudaFree
#define hipHostFree           cudaFreeHost
#define hipHostMalloc         cudaHostAlloc
#define hipHostMallocDefault  cudaHostAllocDefault
#define hipMalloc             cudaMalloc
#define hipMemcpyAsync        cudaMemcpyAsync
#define hipMemcpyDefault      cudaMemcpyDefault
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost
#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipMemGetInfo         cudaMemGetInfo
#define hipMemsetAsync        cudaMemsetAsync

/* Memory of other processes. */
#define hipIpcCloseMemHandle          cudaIpcCloseMemHandle
#define hipIpcGetMemHandle            cudaIpcGetMemHandle
#define hipIpcMemHandle_t             cudaIpcMemHandle_t
#define hipIpcMemLazyEnablePeerAccess cudaIpcMemLazyEnablePeerAccess
#define hipIpcOpenMemHandle           cudaIpcOpenMemHandle

/* Streams and events. */
#define hipEventCreateWithFlags  cudaEventCreateWithFlags
#define hipEventDefault          cudaEventDefault
#define hipEventDestroy          cudaEventDestroy
#define hipEventDisableTiming    cudaEventDisableTiming
#define hipEventElapsedTime      cudaEventElapsedTime
#define hipEventRecord           cudaEventRecord
#define hipEventSynchronize      cudaEventSynchronize
#define hipEvent_t               cudaEvent_t
#define hipStreamCreateWithFlags cudaStreamCreateWithFlags
#define hipStreamDestroy         cudaStreamDestroy
#define hipStreamNonBlocking     cudaStreamNonBlocking
#define hipStreamSynchronize     cudaStreamSynchronize
#define hipStreamWaitEvent       cudaStreamWaitEvent
#define hipStream_t              cudaStream_t

/* Graphs. */
#define hipGraphDestroy                 cudaGraphDestroy
#define hipGraphExecDestroy             cudaGraphExecDestroy
#define hipGraphExec_t                  cudaGraphExec_t
#define hipGraphInstantiateWithFlags    cudaGraphInstantiateWithFlags
#define hipGraphLaunch                  cudaGraphLaunch
#define hipGraph_t                      cudaGraph_t
#define hipStreamBeginCapture           cudaStreamBeginCapture
#define hipStreamCaptureModeThreadLocal cudaStreamCaptureModeThreadLocal
#define hipStreamEndCapture             cudaStreamEndCapture

#endif
