# SPDX-License-Identifier: BSD-3-Clause
# The program on GPUs as a user meets it: valid runs, binding, refusals, memory, file, killed ranks.
#
# Where there is no GPU the devices are the interpreter's of amdgpu/: as many, of the architecture
# and with the memory that a check asks for.  On real GPUs the checks that need that are left out.
"""Usage: end_to_end_device.py BUILD_FOLDER"""
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import support
from support import check, children, on_ranks, run

support.require("h5py", "numpy")
import h5py
import numpy as np
import end_to_end_errors as faults

TIMEOUT_S = 300
CASE = """[mesh]
degree = 3
nx = 4
ny = 3
nz = 2
lx = 1.4
boundary_y = neumann
boundary_z = periodic
deformation = smooth
amplitude = 0.03
[problem]
h1_variation = 0.5
[solver]
tolerance = 1e-8
warmup = 1
repeats = 1
autotune = no
"""
WARNING = re.compile(r"helmbone: warning: ranks ([\d ]+) share device (\S+) of \S+; "
                     r"--oversubscribe silences this")
DEVICE = re.compile(r"^device of rank (\d+): (\S+), device (\d+) of (\d+), (.+), (\w+), "
                    r"([0-9a-f]+:[0-9a-f]+:[0-9a-f]+\.\d), (\S+) GB( \(.*\))?$", re.MULTILINE)


@contextlib.contextmanager
def environment(**variables):
    """Of the programs started meanwhile; None: not set."""
    kept = dict(os.environ)
    for name, value in variables.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = str(value)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept)


def find_interpreter():
    """The library to preload, or None on a machine with GPUs of the build's platform."""
    built = f"{build}/amdgpu/libisahip.so"
    given = [os.environ.get(name, "") for name in ("LD_PRELOAD", "HELMBONE_TEST_PRELOAD")]
    if os.path.exists(built) and not os.path.exists("/dev/kfd"):
        given.append(built)
    found = [path for path in given if path.endswith("isahip.so")]
    return found[0] if found and platform == "amd" else None


def helmbone(ranks, *options):
    return run(on_ranks(ranks, f"{build}/helmbone", case, *options), TIMEOUT_S)


def check_valid(what, ranks, *options):
    """A run that has to be valid: RESULT, report, standard error."""
    code, text, errors = helmbone(ranks, *options)
    result = support.parse_result(text)
    check(f"{what}: exit code 0", code == 0, (code, errors[-500:]))
    check(f"{what}: VALID", result.get("status") == "VALID", text[-500:])
    gates = support.parse_gates(text)
    check(f"{what}: all gates passed", list(gates) == support.GATES and
          all(verdict == "PASS" or name in support.OPEN_IF_CUT_OFF
              for name, verdict in gates.items()), gates)
    check(f"{what}: ranks", result.get("ranks") == str(ranks), result)
    return result, text, errors


def devices_of(text):
    """Of each rank: dict of the line's parts."""
    names = ("rank", "host", "index", "count", "name", "architecture", "pci", "gigabytes",
             "visible")
    return [dict(zip(names, match.groups())) for match in DEVICE.finditer(text)]


def same_figures(result, other):
    """As printed: what does not depend on time."""
    keys = ("iterations", "rms_error", "residual", "points")
    return all(result.get(key, "missing") == other.get(key) for key in keys)


# ---- runs that work --------------------------------------------------------------------------

def gpu_kernels():
    """By the program's own table."""
    _, _, errors = helmbone(1, "--backend", "gpu", "--kernel", "nosuch")
    allowed = re.search(r"the gpu backend can run auto, (.+) here$", errors, re.MULTILINE)
    return allowed[1].split(", ") if allowed else []


def check_ranks():
    results, kernels = [], gpu_kernels()
    check("kernels of GPUs", {"1d", "kstep"} <= set(kernels), kernels)
    for ranks in (1, 2, 3):
        what = f"{ranks} ranks"
        result, text, errors = check_valid(what, ranks, "--gpu-aware", "off")
        results.append(result)
        check(f"{what}: on the GPU", result.get("backend") == "gpu" and
              f"\nbackend: gpu, {platform}, code for " in text, result)
        check(f"{what}: a GPU variant", result.get("kernel") in kernels and
              "\ntuning: not tuned: autotune = no\n" in text and "kernel_shape" in result, result)
        devices = devices_of(text)
        check(f"{what}: a line for each rank's device", [device["rank"] for device in devices] ==
              [str(rank) for rank in range(ranks)], text[:600])
        check(f"{what}: the device's memory", all(float(device["gigabytes"]) > 1
                                                 for device in devices), devices)
        if ranks > 1:
            check(f"{what}: says why MPI is staged", "\ngpu_aware: off, as asked\n" in text)
        check_warning(what, errors, devices)
    if not check("the plain runs are valid", all(result.get("status") == "VALID"
                                                 for result in results)):
        return []
    for result in results[1:]:
        check("any number of ranks: iterations",
              abs(int(result["iterations"]) - int(results[0]["iterations"])) <= 1, results)
        check("any number of ranks: error",
              abs(float(result["rms_error"]) / float(results[0]["rms_error"]) - 1) < 1e-3, results)
    return results


def check_warning(what, errors, devices):
    """One line for each device that several ranks have, and nothing else."""
    ranks_of = {}
    for device in devices:
        ranks_of.setdefault(device["pci"], []).append(device["rank"])
    expected = sorted((" ".join(ranks), pci) for pci, ranks in ranks_of.items() if len(ranks) > 1)
    found = sorted(WARNING.findall(errors))
    check(f"{what}: warns of shared devices, and only of them", found == expected and
          len(errors.splitlines()) == len(expected), (errors, expected))


def check_variants(reference):
    for options in (["--kernel", "1d"], ["--kernel", "kstep"], ["--check-launches"]):
        what = " ".join(options)
        result, _, _ = check_valid(what, 2, "--oversubscribe", *options)
        if options[0] == "--kernel":
            check(f"{what}: is used", result.get("kernel") == options[1], result)
            check(f"{what}: iterations", result.get("iterations") == reference["iterations"],
                  (result, reference))
        else:
            check(f"{what}: changes no figure", same_figures(result, reference),
                  (result, reference))
    result, _, _ = check_valid("f32", 2, "--oversubscribe", "--precision", "f32", "--tolerance",
                               "1e-4")
    check("f32: is used", result.get("precision") == "f32", result)


def check_gpu_aware(reference):
    for ranks in (2, 3):
        what = f"device memory for MPI, {ranks} ranks"
        result, text, _ = check_valid(what, ranks, "--gpu-aware", "on", "--oversubscribe")
        check(f"{what}: on, and says so", re.search(
            r"^gpu_aware: on, .*a test exchange arrived right$", text, re.MULTILINE), text[-3000:])
        check(f"{what}: the figures of the staged run", same_figures(result, reference[ranks - 1]),
              (result, reference))


def check_host_backend():
    """In a build for GPUs: on machines without, with and without the runtime's devices."""
    with environment(LD_PRELOAD=None):
        result, text, errors = check_valid("host, bare", 2, "--backend", "host")
    check("host, bare: on the host", result.get("backend") == "host" and
          "\nbackend: host, " in text and "GPU memory" not in text and errors == "", text[:500])
    with environment(ISARUN_DEVICES=0, CUDA_VISIBLE_DEVICES=""):
        again, _, _ = check_valid("host, no device", 2, "--backend", "host")
    check("host, no device: the same figures", same_figures(result, again), (result, again))


def check_dry_run(folder):
    path = f"{folder}/dry.vtkhdf"
    code, text, errors = helmbone(2, "--dry-run", "--oversubscribe", "--output", path)
    check("dry run: exit code 0", code == 0 and errors == "", (code, errors))
    check("dry run: devices and their memory", len(devices_of(text)) == 2 and
          re.search(r"^GPU memory of rank 0, total: \d+\.\d+ MB$", text, re.MULTILINE), text)
    check("dry run: solves nothing", "\ndry run: everything fits" in text and
          "stage: " not in text and "RESULT" not in text and not os.path.exists(path), text[-500:])
    options = support.parse_echo(text)[1]
    check("dry run: the echo has the options of GPUs", options.get("run.backend") == "auto" and
          options.get("run.gpu_aware") == "auto", options)


def read_run(path):
    with h5py.File(path) as file:
        return (support.attributes_of(file), file["fields/solution"][:], file["fields/residual"][:],
                file["solver/residual_history"]["residual_norm"][:],
                file["timings/device"][:] if "timings/device" in file else None)


def check_own_times(paths):
    """What the ranks took for themselves: on a GPU the kernel alone, whose work holds waits."""
    with h5py.File(paths[0]) as gpu, h5py.File(paths[1]) as host:
        own, machine, of_host = gpu["timings/own"][:], gpu["machine"][:], host["timings/own"][:]
        bare = host["machine"][:]
    check("own times: the kernel on the GPU", np.all(own["kernel_s"] > 0) and
          np.all(own["kernel_median_s"] >= own["kernel_s"]), own)
    check("own times: the work is not known on a GPU, and is on the host",
          np.all(np.isnan(own["work_s"])) and np.all(of_host["work_s"] > 0), (own, of_host))
    check("own times: reductions", np.all(own["reduction_least_s"] > 0) and
          np.all(own["reduction_mean_s"] >= own["reduction_least_s"]), own)
    check("machine: PCI ids on GPUs alone", np.all(machine["pci_bus_id"] != b"") and
          np.all(bare["pci_bus_id"] == b"") and np.all(bare["device_numa_node"] == -1), machine)


def check_file(folder):
    """The solve on the GPU against that of the host's plain operator, through their files."""
    paths = [f"{folder}/gpu.vtkhdf", f"{folder}/host.vtkhdf"]
    _, text, _ = check_valid("file, gpu", 2, "--oversubscribe", "--output", paths[0])
    check_valid("file, host", 2, "--backend", "host", "--kernel", "reference", "--output", paths[1])
    if not check("file: both are there", all(map(os.path.exists, paths))):
        return
    attributes, solution, residual, history, devices = read_run(paths[0])
    of_host, expected, expected_residual, expected_history, no_devices = read_run(paths[1])
    device = devices_of(text)[0]
    check_own_times(paths)
    check("file: backends", attributes["backend"] == "gpu" and of_host["backend"] == "host")
    check("file: the device", device["name"] in attributes["device"] and
          attributes["device_architecture"] == device["architecture"], attributes)
    check("file: platform and compiler", attributes["gpu_platform"] == platform and
          len(attributes["gpu_compiler"]) > 0, attributes)
    check("file: a device for each rank, and none of the host", devices is not None and
          len(devices) == 2 and device["pci"] in devices[0].decode() and no_devices is None,
          devices)
    # As in end_to_end_cases.py: rounding alone, then the loss of orthogonality.
    common = min(len(history), len(expected_history))
    difference = np.abs(history[:common] / expected_history[:common] - 1)
    check("file: iterations", common > 20 and abs(len(history) - len(expected_history)) <= 1)
    check("file: first residuals", difference[:20].max() < 1e-11, difference[:20].max())
    check("file: later residuals", difference.max() < 0.5, difference.max())
    check("file: solution", np.abs(solution - expected).max() < 1e-8 * np.abs(expected).max(),
          np.abs(solution - expected).max())
    check("file: residual", abs(np.linalg.norm(residual) / np.linalg.norm(expected_residual) - 1) <
          0.5)
    code, text, errors = run([f"{build}/helmbone-inspect", paths[0]])
    check("file: inspect", code == 0 and "layout: PASS" in text and "gates: PASS" in text,
          (code, text[-300:], errors))


# ---- refusals --------------------------------------------------------------------------------

def check_refusal(what, folder, ranks, options, expected, words):
    code, errors, each = faults.run_ranks(ranks, folder, [f"{build}/helmbone", case, *options])
    faults.check_refusal(what, code, errors, each, expected, words)
    return each[0][2]


def check_kernels(folder):
    for ranks in (1, 3):
        check_refusal(f"unknown kernel, {ranks} ranks", folder, ranks, ["--kernel", "nosuch"], 2,
                      ["kernel = nosuch", "degree 3", "the gpu backend", "auto, 1d, kstep"])
    check_refusal("kernel of the host", folder, 1, ["--kernel", "reference"], 2,
                  ["kernel = reference", "the gpu backend", "auto, 1d, kstep"])
    check_refusal("kernel of the GPU", folder, 1, ["--kernel", "kstep", "--backend", "host"], 2,
                  ["kernel = kstep", "the host backend", "auto, reference"])
    check_refusal("unknown backend", folder, 1, ["--backend", "tpu"], 2,
                  ["'tpu'", "auto | host | gpu"])


def check_no_device(folder):
    with environment(ISARUN_DEVICES=0, CUDA_VISIBLE_DEVICES="", HIP_VISIBLE_DEVICES="99"):
        for ranks in (1, 3):
            check_refusal(f"no device, {ranks} ranks", folder, ranks, ["--backend=gpu"], 3,
                          ["no GPU is visible to rank ", "HIP_VISIBLE_DEVICES=99",
                           f"built for {platform} GPUs", "--backend host"])


def check_plan_elsewhere():
    """A login node has no GPU: there is a plan all the same, for what the program is built for."""
    with environment(ISARUN_DEVICES=0, CUDA_VISIBLE_DEVICES="", HIP_VISIBLE_DEVICES="99"):
        for ranks in (1, 3):
            code, text, errors = helmbone(ranks, "--dry-run", "--autotune", "yes")
            what = f"plan without a device, {ranks} ranks"
            check(f"{what}: exit code 0", code == 0 and errors == "", (code, errors))
            check(f"{what}: each rank says so", len(re.findall(
                r"^device of rank \d+: \S+, no GPU seen, planned for \w+", text,
                re.MULTILINE)) == ranks, text)
            check(f"{what}: memory of the GPU, and that it is unknown whether that is there",
                  re.search(r"^GPU memory of rank 0, total: \d+\.\d+ MB$", text, re.MULTILINE) and
                  "GPU memory available: unknown" in text and "everything fits" not in text and
                  "\ndry run: nothing was solved" in text, text[-500:])


def check_bare_machine(folder):
    """The vendor's own runtime, which finds no device here."""
    with environment(LD_PRELOAD=None):
        check_refusal("bare machine", folder, 2, [], 3, ["no GPU is visible", "--backend host"])


def check_binding():
    """Nodes of two devices, as many ranks, and one more."""
    with environment(ISARUN_DEVICES=2, HIP_VISIBLE_DEVICES="0,1"):
        for ranks in (2, 3):
            what = f"two devices, {ranks} ranks"
            _, text, errors = check_valid(what, ranks)
            devices = devices_of(text)
            check(f"{what}: in turn", [device["index"] for device in devices] ==
                  ["0", "1", "0"][:ranks], devices)
            check(f"{what}: two PCI ids", len({device["pci"] for device in devices}) == 2, devices)
            check(f"{what}: what is visible", all(
                device["visible"] == " (HIP_VISIBLE_DEVICES=0,1)" for device in devices), devices)
            check_warning(what, errors, devices)
            check(f"{what}: warned", ("warning" in errors) == (ranks == 3), errors)
    code, text, errors = helmbone(2, "--dry-run")
    check("one device, 2 ranks: warned", code == 0 and "warning: ranks 0 1 share" in errors, errors)
    code, text, errors = helmbone(2, "--dry-run", "--oversubscribe")
    check("--oversubscribe silences it", code == 0 and errors == "", errors)


def check_architecture(folder, built):
    other = next(name for name in ("gfx942", "gfx908", "gfx90a") if name not in built)
    with environment(ISARUN_ARCH=other):
        for ranks in (1, 3):
            check_refusal(f"architecture that is not built in, {ranks} ranks", folder, ranks,
                          ["--oversubscribe"], 3,
                          [f", {other})", f"holds code for {' '.join(built)};",
                           f"-DHELMBONE_GPU_ARCHITECTURES={other}"])


def check_memory(folder):
    """Devices with less, and with just what is needed."""
    _, text, _ = helmbone(1, "--dry-run")
    total = re.search(r"^GPU memory of rank 0, total: (\S+) MB$", text, re.MULTILINE)
    if not check("memory: the plan says what is needed", total is not None, text[-500:]):
        return
    one = 1e6 * float(total[1])
    for ranks in (1, 2):
        what = f"device memory, {ranks} ranks"
        with environment(ISARUN_MEMORY_BYTES=int(0.6 * ranks * one)):
            line = check_refusal(what, folder, ranks, ["--oversubscribe"], 3,
                                 ["GPU memory", f"shared by {ranks} rank(s)", "needs", "free",
                                  "device 0 (", re.compile(r"[0-9a-f]+:[0-9a-f]+:[0-9a-f]+\.0")])
        told = re.search(r"needs (\S+) GB and has (\S+) GB free", line)
        check(f"{what}: needed is what the plan said, and more than there is", told is not None and
              abs(1e9 * float(told[1]) / (ranks * one) - 1) < 0.1 and
              float(told[1]) > float(told[2]) > 0, (line, one))
        with environment(ISARUN_MEMORY_BYTES=int(1.1 * ranks * one)):
            check_valid(f"{what}, enough", ranks, "--oversubscribe")
    with environment(ISARUN_MEMORY_BYTES=int(0.6 * one)):
        code, text, _ = helmbone(1, "--dry-run")
        check("device memory, dry run: exit code 3", code == 3 and "everything fits" not in text,
              code)


def check_size(folder):
    """A rank's surface points are counted in 31 bits: refused before anything is allocated."""
    for ranks in (1, 2):
        check_refusal(f"too many surface points, {ranks} ranks", folder, ranks,
                      ["--degree", "1", "--nx", "700", "--ny", "700", "--nz", str(600 * ranks),
                       "--oversubscribe", "--dry-run"], 2, ["294000000", "8", "2147483647"])


def check_killed(folder):
    """SIGKILL for one of three ranks in the middle of a solve."""
    path = f"{folder}/killed.vtkhdf"
    faults.write(path, faults.OLD)
    process = faults.start_solve(3, path, case, "--stop", "count", "--iterations", "1000",
                                 "--repeats", "1000", "--oversubscribe")
    check("kill: it solves", faults.wait_for_stage(process, "solving"))
    ranks = children(process.pid)
    check("kill: three ranks run", len(ranks) == 3, ranks)
    faults.kill(ranks[1:2])
    try:
        process.communicate(timeout=60)
        check("kill: mpirun ends with an error", process.returncode != 0, process.returncode)
    except subprocess.TimeoutExpired:
        check("kill: mpirun ends within a minute", False)
        process.kill()
        process.communicate()
    check("kill: no rank is left", not faults.wait_for_end(ranks), ranks)
    check("kill: the older file is untouched", faults.read(path) == faults.OLD)
    check("kill: nothing is left", not faults.left_over(folder), faults.left_over(folder))


def check_build_without(folder):
    check_refusal("a build without GPU", folder, 3, ["--backend", "gpu"], 2,
                  ["backend = gpu", "built without GPU", "host, auto", "-DHELMBONE_GPU="])
    support.skip("devices", "the programs of this folder are built without a GPU")


def check_all(folder):
    reference = check_ranks()
    if not reference:
        return
    check_variants(reference[1])
    check_host_backend()
    check_dry_run(folder)
    check_file(folder)
    check_kernels(folder)
    check_no_device(folder)
    check_plan_elsewhere()
    check_killed(folder)
    if interpreter is None:
        return
    _, text, _ = helmbone(1, "--dry-run")
    check_gpu_aware(reference)
    check_bare_machine(folder)
    check_binding()
    check_architecture(folder, re.search(r", code for (gfx\w+(?: gfx\w+)*)", text)[1].split())
    check_memory(folder)
    check_size(folder)


def run_checks(checks):
    """checks(folder) with a case in a folder of their own; the exit code."""
    folder = tempfile.mkdtemp(prefix="helmbone_device_")
    global case
    case = f"{folder}/case.ini"
    faults.write(case, CASE.encode())
    try:
        if platform == "none":
            check_build_without(folder)
            return support.finish()
        with environment(**({"LD_PRELOAD": interpreter} if interpreter else {})):
            if "no GPU seen" in helmbone(1, "--dry-run")[1] and interpreter is None:
                print("skipped: no device")
                return 77
            checks(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return support.finish()


def prepare(usage):
    """The build folder, its platform, and what to preload."""
    global build, platform, case, interpreter
    build = faults.build = support.build_folder(usage)
    with open(f"{build}/CMakeCache.txt", encoding="utf-8") as cache:
        found = re.search(r"^HELMBONE_GPU:\w+=(\w+)$", cache.read(), re.MULTILINE)
    platform = found[1] if found else "none"
    case, interpreter = "", find_interpreter()


if __name__ == "__main__":
    prepare(__doc__)
    sys.exit(run_checks(check_all))
