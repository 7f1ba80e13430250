# SPDX-License-Identifier: BSD-3-Clause
# What is outside the program: other runs of one name, links, full outputs, limits, pipes, locales.
"""Usage: end_to_end_machine.py BUILD_FOLDER"""
import concurrent.futures
import glob
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import support
from support import check, on_ranks, partials, read, run, write

TIMEOUT_S = 60
SMALL = ["--degree", "2", "--nx", "3", "--ny", "2", "--nz", "2", "--warmup", "0", "--repeats", "1"]
OLD = b"an older file, which is nobody's to touch\n" * 100
# Preloaded: waits before a partial file gets its name; no folder can be opened, as where all of a
# process's files are open; the locale of a library.
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int rename(const char *from, const char *to) {
  int (*next)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
  const char *delay = getenv("TEST_RENAME_DELAY_S"), *mark = getenv("TEST_RENAME_MARK");
  if (delay != NULL && strstr(from, ".partial") != NULL) {
    if (mark != NULL) close(open(mark, O_CREAT | O_WRONLY, 0600));
    usleep((useconds_t)(1e6 * atof(delay)));
  }
  return next(from, to);
}
int open(const char *path, int flags, ...) {
  int (*next)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
  va_list list;
  va_start(list, flags);
  const int mode = va_arg(list, int);
  va_end(list);
  if (getenv("TEST_NO_FOLDERS") != NULL && (flags & O_DIRECTORY) == O_DIRECTORY) {
    errno = EMFILE;
    return -1;
  }
  return next(path, flags, mode);
}
__attribute__((constructor)) static void begin(void) {
  const char *name = getenv("TEST_LOCALE");
  if (name != NULL && setlocale(LC_ALL, name) == NULL) fprintf(stderr, "no locale %s\n", name);
}
"""


def make_shim(folder):
    """None without a C compiler."""
    source, library = f"{folder}/shim.c", f"{folder}/shim.so"
    write(source, SHIM.encode())
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    code, _, errors = run([compiler, "-shared", "-fPIC", "-w", "-o", library, source, "-ldl"])
    return library if check("the shim is compiled", code == 0, errors) else None


def helmbone(*options):
    return [f"{build}/helmbone", *SMALL, *options]


def under(shim, variables, command):
    """The command on one rank, of which that rank alone has the shim."""
    words = [f"{name}={value}" for name, value in variables.items()]
    return on_ranks(1, "env", f"LD_PRELOAD={shim}", *words, *command)


def is_good(path):
    return run([f"{build}/helmbone-inspect", path])[0] == 0


def is_written(text):
    return re.search(r"^written: ", text, re.MULTILINE) is not None


def refused(code, text, errors):
    """The name was another program's: said, and the solve itself is not lost."""
    result = support.parse_result(text)
    return (code == 2 and "another program" in errors and not is_written(text) and
            (result.get("status") == "UNWRITTEN" or "stage: solving" not in text))


def kept_aside(path):
    """Files of programs that were refused the name."""
    return glob.glob(path.replace(".vtkhdf", ".*-*.vtkhdf"))


# ---- two runs, one name ----------------------------------------------------------------------

def check_delayed_rename(folder, shim):
    """One run waits just before the change of names; another one that began before comes, and waits
    for its turn: it is refused.  One that begins now is refused before it solves."""
    path, mark = f"{folder}/one.vtkhdf", f"{folder}/mark"
    write(path, OLD)
    slow = subprocess.Popen(under(shim, {"TEST_RENAME_DELAY_S": 3, "TEST_RENAME_MARK": mark},
                                  helmbone("--output", path)),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.time() + TIMEOUT_S
    while not os.path.exists(mark) and slow.poll() is None and time.time() < end:
        time.sleep(0.01)
    check("delayed rename: the slow run waits", slow.poll() is None)
    check("delayed rename: the older file is there meanwhile", read(path) == OLD)
    check("delayed rename: the slow run has a file of its own", len(partials(path)) == 1)
    code, text, errors = run(on_ranks(1, *helmbone("--output", path)), TIMEOUT_S)
    check("delayed rename: a second run is refused before it solves", code == 2 and
          "another program is writing it" in errors and "stage: solving" not in text,
          (code, errors))
    slow_text, slow_errors = slow.communicate(timeout=TIMEOUT_S)
    check("delayed rename: the slow run", slow.returncode == 0 and is_written(slow_text),
          (slow.returncode, slow_errors))
    check("delayed rename: a whole file is there at the end", is_good(path))
    check("delayed rename: nothing is left", not partials(path), partials(path))


def check_killed_while_waiting(folder, shim):
    """A run that is killed before the change of names leaves the older file; the next removes its
    partial file, but not one that is in use."""
    path, mark = f"{folder}/killed.vtkhdf", f"{folder}/killed.mark"
    write(path, OLD)
    runs, end = [], time.time() + 2 * TIMEOUT_S
    for _ in range(2):
        runs.append(subprocess.Popen(
            ["env", f"LD_PRELOAD={shim}", "TEST_RENAME_DELAY_S=30", f"TEST_RENAME_MARK={mark}",
             f"{build}/mpi_field_file", "--keep", path], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL))
        while len(partials(path)) < len(runs) and time.time() < end:
            time.sleep(0.01)
    while not os.path.exists(mark) and time.time() < end:
        time.sleep(0.01)
    check("two runs at once have two files", len(partials(path)) == 2, partials(path))
    dead = [name for name in partials(path) if f"-{runs[0].pid}." in name]
    living = [name for name in partials(path) if f"-{runs[1].pid}." in name]
    runs[0].kill()
    runs[0].wait()
    code, _, errors = run(on_ranks(1, *helmbone("--output", path)), TIMEOUT_S)
    check("a third run is refused while the second lives", code == 2 and
          len(living) == 1 and living[0] in errors, (code, errors, living))
    check("the older file is untouched", read(path) == OLD)
    runs[1].kill()
    runs[1].wait()
    code, text, errors = run(on_ranks(1, *helmbone("--output", path)), TIMEOUT_S)
    check("a run after both is good, and removes what they left", code == 0 and is_good(path) and
          len(dead) == 1 and not partials(path), (errors, text[-200:], partials(path)))


def check_many_runs(folder):
    """Runs that begin together, as those of a script with a mistake."""
    path, count = f"{folder}/many.vtkhdf", 6
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        jobs = [pool.submit(run, on_ranks(1, *helmbone("--output", path)), 2 * TIMEOUT_S)
                for _ in range(count)]
        done = [job.result() for job in jobs]
    written = [one for one in done if one[0] == 0 and is_written(one[1])]
    others = [one for one in done if refused(*one)]
    check("many runs: one has the name, all others are refused",
          len(written) == 1 and len(others) == count - 1, [(one[0], one[2]) for one in done])
    check("many runs: the file is whole", is_good(path))
    solved = [one for one in others if "stage: solving" in one[1]]
    check("many runs: what was solved is kept, under names that are said",
          sorted(kept_aside(path)) == sorted(name for name in kept_aside(path)
                                             if is_good(name) and
                                             any(name in one[2] for one in solved)) and
          len(kept_aside(path)) == len(solved), (kept_aside(path), len(solved)))
    check("many runs: nothing is left", not partials(path), partials(path))


# ---- names -----------------------------------------------------------------------------------

def check_refused(what, command, words, path, before):
    code, text, errors = run(command, TIMEOUT_S)
    check(f"{what}: exit code 2", code == 2, (code, errors))
    check(f"{what}: before the solve", "stage: solving" not in text)
    check(f"{what}: says why", all(word in errors for word in words), errors)
    check(f"{what}: the file is untouched", read(path) == before)


def check_names(folder):
    target, link = f"{folder}/target.vtkhdf", f"{folder}/link.vtkhdf"
    os.makedirs(f"{folder}/else")
    for what, place in (("beside", "target.vtkhdf"), ("elsewhere", f"{folder}/else/t.vtkhdf")):
        target = os.path.join(folder, place)
        for old in (False, True):  # a link that leads nowhere yet, and to a file
            if os.path.lexists(link):
                os.unlink(link)
            os.symlink(place, link)
            if old:
                write(target, OLD)
            code, text, errors = run(helmbone("--output", link), TIMEOUT_S)
            check(f"link {what}: written", code == 0 and is_written(text), (code, errors))
            check(f"link {what}: it is one still", os.path.islink(link))
            check(f"link {what}: the file behind it is the new one", is_good(target))
            check(f"link {what}: nothing is left", not partials(link) + partials(target))
            os.unlink(target)
    os.unlink(link)
    os.symlink("link.vtkhdf", link)
    code, _, errors = run(helmbone("--output", link), TIMEOUT_S)
    check("link to itself: refused", code == 2 and "no end" in errors, (code, errors))
    os.unlink(link)
    write(target, OLD)
    os.chmod(target, stat.S_IRUSR)
    check_refused("read-only file", helmbone("--output", target), ["cannot be written"], target,
                  OLD)
    os.chmod(target, 0o600)
    case = f"{folder}/case.vtkhdf"
    text = b"[mesh]\ndegree = 2\n"
    write(case, text)
    check_refused("case file", [f"{build}/helmbone", case, *SMALL, "--output", case],
                  ["this is the case file"], case, text)
    os.symlink("case.vtkhdf", link)
    check_refused("link to the case file", [f"{build}/helmbone", case, *SMALL, "--output", link],
                  ["this is the case file"], case, text)
    os.makedirs(f"{folder}/blocked.vtkhdf.partial/inside")
    code, text, errors = run(helmbone("--output", f"{folder}/blocked.vtkhdf"), TIMEOUT_S)
    check("a folder with the suffix of a partial file is in nobody's way", code == 0, errors)


# ---- failures of the write -------------------------------------------------------------------

def check_unwritten(what, command, words, on_stage=None):
    """The write fails: code 3, a sentence, the report and its RESULT line, which says so."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    text = ""
    for line in process.stdout:
        text += line
        if on_stage and line == "stage: solving\n":
            on_stage()
            on_stage = None
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    code = process.wait(timeout=TIMEOUT_S)
    check(f"{what}: exit code 3", code == 3, (code, errors))
    check(f"{what}: one sentence", len(re.findall(r"^helmbone: error: ", errors, re.MULTILINE)) == 1
          and re.search(words, errors), errors)
    result = support.parse_result(text)
    check(f"{what}: a result that says so", result.get("status") == "UNWRITTEN" and
          result.get("file") == "not_written" and "fom_nekbone_gflops" in result, text[-300:])
    check(f"{what}: the report is there", "\ngates: " in text and not is_written(text))


def check_failed_writes(folder):
    path = f"{folder}/limited.vtkhdf"
    write(path, OLD)
    shell = "ulimit -f 200; exec \"$0\" \"$@\""
    code, text, errors = run(on_ranks(1, "sh", "-c", shell, f"{build}/helmbone", "--degree", "7",
                                      "--warmup", "0", "--repeats", "1", "--output", path))
    check("ulimit -f: seen before the solve", code == 3 and "ulimit -f" in errors and
          "stage: solving" not in text, (code, errors))
    check("ulimit -f: the older file is untouched", read(path) == OLD)
    long = ["--degree", "5", "--stop", "count", "--iterations", "100", "--warmup", "0",
            "--repeats", "40"]
    gone = f"{folder}/gone"
    os.makedirs(gone)
    check_unwritten("folder gone", on_ranks(2, f"{build}/helmbone", *long, "--output",
                                            f"{gone}/a.vtkhdf"),
                    "No such file", lambda: shutil.rmtree(gone))
    check_unwritten("file made read-only", on_ranks(2, f"{build}/helmbone", *long, "--output",
                                                    path),
                    "read-only", lambda: os.chmod(path, stat.S_IRUSR))
    check("file made read-only: it is untouched", read(path) == OLD and not partials(path))
    os.chmod(path, 0o600)


def check_file_limit(folder, shim):
    """A limit that comes up during the solve."""
    path = f"{folder}/late.vtkhdf"
    write(path, OLD)
    process = []

    def limit():
        for pid in support.children(process[0].pid):
            run(["prlimit", f"--pid={pid}", "--fsize=100000"])

    if shutil.which("prlimit") is None:
        support.skip("largest size of a file", "no prlimit")
        return
    command = on_ranks(1, f"{build}/helmbone", "--degree", "7", "--stop", "count", "--iterations",
                       "100", "--warmup", "0", "--repeats", "40", "--output", path)
    process.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                    text=True))
    text = ""
    for line in process[0].stdout:
        text += line
        if line == "stage: solving\n":
            limit()
    errors = process[0].stderr.read()
    code = process[0].wait(timeout=TIMEOUT_S)
    process[0].stdout.close()
    process[0].stderr.close()
    check("ulimit -f, late: exit code 3", code == 3, (code, errors))
    check("ulimit -f, late: a sentence", "File too large" in errors, errors)
    check("ulimit -f, late: a result",
          support.parse_result(text).get("status") == "UNWRITTEN", text[-300:])
    check("ulimit -f, late: the older file is untouched", read(path) == OLD and
          not partials(path), partials(path))
    code, text, errors = run(under(shim, {"TEST_NO_FOLDERS": 1}, helmbone("--output", path)))
    check("no more files can be opened: the file is complete, the code 0", code == 0 and
          is_written(text) and is_good(path), (code, errors))


def check_space(folder):
    """Room for the fields, not for all that is reserved: seen before the solve."""
    disk = f"{folder}/disk"
    os.makedirs(disk)
    code, _, errors = run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk])
    if code != 0:
        support.skip("space of the whole file", f"mount is not permitted: {errors.strip()}")
        return
    try:
        code, text, errors = run([f"{build}/helmbone", "--degree", "7", "--nx", "3", "--ny", "3",
                                  "--nz", "3", "--output", f"{disk}/a.vtkhdf"], TIMEOUT_S)
        check("space of the whole file: refused before the solve", code == 3 and
              re.search(r"\d+ bytes needed, \d+ bytes available", errors) and
              "stage: solving" not in text, (code, errors))
        code, text, errors = run(helmbone("--output", f"{disk}/a.vtkhdf"), TIMEOUT_S)
        check("space of the whole file: a small one fits", code == 0, errors)
        code, text, errors = run(helmbone("--output", f"{disk}/a.vtkhdf"), TIMEOUT_S)
        check("space of the whole file: beside an older one, too", code == 0, errors)
    finally:
        run(["umount", disk])


# ---- standard output, input, limits ----------------------------------------------------------

def check_full_output(folder):
    path = f"{folder}/full.vtkhdf"
    code, _, errors = run(helmbone("--output", path), TIMEOUT_S)
    if not check("a file for inspect", code == 0, errors):
        return
    for command in (helmbone(), helmbone("--dry-run"), [f"{build}/helmbone", "--help"],
                    [f"{build}/helmbone", "--version"], [f"{build}/helmbone-inspect", "--help"],
                    [f"{build}/helmbone-inspect", path],
                    [f"{build}/helmbone-inspect", path, "--json"],
                    [f"{build}/helmbone-matcore", "--help"], [f"{build}/helmbone-matcore", "list"],
                    [f"{build}/helmbone-matcore", "list", "--help"]):
        what = " ".join(os.path.basename(word) for word in command if word not in SMALL)
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True,
                                  timeout=TIMEOUT_S, check=False)
        check(f"full output, {what}: exit code 3", done.returncode == 3, done.returncode)
        check(f"full output, {what}: says so", "standard output cannot be written" in done.stderr,
              done.stderr)


def check_input(folder):
    pipe, case = f"{folder}/pipe.ini", f"{folder}/plain.ini"
    text = "[mesh]\ndegree = 2\nlx = 1.5\n"
    os.mkfifo(pipe)
    write(case, text.encode())
    code, _, errors = run([f"{build}/helmbone", pipe, "--dry-run"], 20)
    check("pipe as case file: refused", code == 2 and "no plain file" in errors, (code, errors))
    code, _, errors = run(on_ranks(2, f"{build}/helmbone", pipe, "--dry-run"), 20)
    check("pipe as case file, 2 ranks: refused", code == 2 and "no plain file" in errors,
          (code, errors))
    code, _, errors = run([f"{build}/helmbone", "/dev/zero", "--dry-run"], 20)
    check("device as case file: refused", code == 2 and "no plain file" in errors, (code, errors))
    done = subprocess.run([f"{build}/helmbone", "/dev/stdin", "--dry-run"], input=text, text=True,
                          capture_output=True, timeout=TIMEOUT_S, check=False)
    check("standard input as case file", done.returncode == 0 and "lx = 1.5\n" in done.stdout,
          done.stderr)
    done = subprocess.run(["bash", "-c", f"{build}/helmbone <(cat {case}) --dry-run"], text=True,
                          capture_output=True, timeout=TIMEOUT_S, check=False)
    check("an open pipe as case file", done.returncode == 0 and "lx = 1.5\n" in done.stdout,
          done.stderr)


def check_limits():
    shell = "ulimit -v 3000000; exec \"$0\" \"$@\""
    large = [f"{build}/helmbone", "--nx", "48", "--ny", "48", "--nz", "48", "--dry-run"]
    code, _, errors = run(on_ranks(1, "sh", "-c", shell, *large))
    check("ulimit -v: seen by the plan", code == 3 and "its own limit" in errors and
          "GB available" in errors, (code, errors))
    code, text, errors = run(on_ranks(1, "sh", "-c", shell, *helmbone("--dry-run")))
    check("ulimit -v: what fits is not refused", code == 0 and "everything fits" in text,
          (code, errors))


def check_unknown_memory():
    """A machine that does not say what memory it has, which is not the same as enough."""
    shell = "mount --bind /dev/null /proc/meminfo && exec \"$0\" \"$@\""
    code, text, errors = run(["unshare", "-m", "sh", "-c", shell, *helmbone("--dry-run")])
    if code != 0 and "stage" not in text and "helmbone: error" not in errors:
        support.skip("memory that is unknown", errors.strip()[-200:])
        return
    check("memory that is unknown", code == 0 and "\nmemory available: unknown\n" in text and
          "everything fits" not in text and "unknown" in text.splitlines()[-1], (code, errors))


def check_locale(folder, shim):
    locales = f"{folder}/locales"
    os.makedirs(locales)
    code, _, errors = run(["localedef", "-i", "de_DE", "-f", "UTF-8", f"{locales}/de_DE.UTF-8"]) \
        if shutil.which("localedef") else (1, "", "no localedef")
    if code != 0:
        support.skip("locale with decimal commas", errors.strip()[-200:])
        return
    comma = {"TEST_LOCALE": "de_DE.UTF-8", "LOCPATH": locales}
    plain = run([f"{build}/helmbone", "--lx", "1.5", "--h1=2.5e-1", "--dry-run"])
    code, text, errors = run(under(shim, comma, [f"{build}/helmbone", "--lx", "1.5",
                                                 "--h1=2.5e-1", "--dry-run"]))
    check("decimal commas: the locale is there", "no locale" not in errors, errors)
    check("decimal commas: the same plan", code == 0 and
          text.split("[mesh]")[1] == plain[1].split("[mesh]")[1], (code, errors))
    code, text, errors = run(under(shim, comma, helmbone("--lx", "1.5")))
    result = support.parse_result(text)
    check("decimal commas: the result has points", code == 0 and
          re.fullmatch(r"\d+\.\d+", result.get("fom_nekbone_gflops", "")), (code, text[-200:]))


def check_fast_math(folder):
    root = os.path.dirname(support.INPUTS)
    source = f"{folder}/plain.c"
    write(source, b'#include "kernels/base.h"\nint main(void) { return HB_OK; }\n')
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        support.skip("-ffast-math", "no C compiler")
        return
    for options, refused in (((), False), (("-O3",), False), (("-ffast-math",), True),
                             (("-ffinite-math-only",), True)):
        code, _, errors = run([compiler, "-std=c11", *options, "-I", root, "-fsyntax-only", source])
        check(f"compiled with {options}", (code != 0) == refused and
              ("-ffast-math" in errors) == refused, (code, errors))


def main():
    folder = tempfile.mkdtemp(prefix="helmbone_machine_")
    try:
        shim = make_shim(folder)
        if shim is None:
            support.skip("delayed renames, decimal commas, open files", "no C compiler")
        else:
            check_delayed_rename(folder, shim)
            check_killed_while_waiting(folder, shim)
            check_file_limit(folder, shim)
            check_locale(folder, shim)
        check_many_runs(folder)
        check_names(folder)
        check_failed_writes(folder)
        check_space(folder)
        check_full_output(folder)
        check_input(folder)
        check_limits()
        check_unknown_memory()
        check_fast_math(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return support.finish()


if __name__ == "__main__":
    build = support.build_folder(__doc__)
    sys.exit(main())
