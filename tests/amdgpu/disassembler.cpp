/* SPDX-License-Identifier: BSD-3-Clause
 * Runs llvm-objdump and collects what it prints. */
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "tests/amdgpu/code_object.h"

extern char **environ;

namespace isarun {
namespace {
enum { CHILD_FILE = 40 }; /* number that the code object's file has in the disassembler */

/* The environment without LD_PRELOAD: the disassembler needs no HIP runtime. */
std::vector<char *> child_environment() {
  std::vector<char *> result;
  for (char **variable = environ; *variable; variable++)
    if (strncmp(*variable, "LD_PRELOAD=", 11) != 0) result.push_back(*variable);
  result.push_back(nullptr);
  return result;
}

std::string read_all(int fd) {
  std::string text;
  std::vector<char> buffer(1 << 16);
  for (;;) {
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer.data(), (size_t)n);
  }
}

/* Output of the program; empty if it cannot be started or fails. */
std::string run_program(const std::vector<std::string> &words, int file) {
  std::vector<char *> argv;
  for (auto &word : words) argv.push_back(const_cast<char *>(word.c_str()));
  argv.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) fail("no pipe: %s", strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, file, CHILD_FILE);
  pid_t child;
  const int code =
      posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), child_environment().data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  if (code == 0) {
    text = read_all(ends[0]);
    int status = 0;
    pid_t ended;
    do ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    /* A parent that ignores SIGCHLD gets no status: then the text has to do. */
    if (ended == child && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) text.clear();
  }
  close(ends[0]);
  return text;
}
} /* namespace */

std::string disassemble(int file, const std::vector<std::string> &functions) {
  std::vector<std::string> tools = {"llvm-objdump-19", "llvm-objdump",
                                    "/opt/rocm/llvm/bin/llvm-objdump"};
  if (const char *tool = getenv("ISARUN_OBJDUMP")) tools = {tool};
  std::vector<std::string> options = {"-d", "/proc/self/fd/" + std::to_string((int)CHILD_FILE)};
  if (!functions.empty()) {
    options[0] = "--disassemble-symbols=";
    for (auto &name : functions) options[0] += (&name == &functions[0] ? "" : ",") + name;
  }
  for (auto &tool : tools) {
    std::vector<std::string> words = {tool};
    words.insert(words.end(), options.begin(), options.end());
    std::string text = run_program(words, file);
    if (text.find("//") != std::string::npos) return text;
  }
  fail("%s: no disassembler for this code object; name an llvm-objdump that knows the architecture "
       "in ISARUN_OBJDUMP",
       tools[0].c_str());
}
} /* namespace isarun */
