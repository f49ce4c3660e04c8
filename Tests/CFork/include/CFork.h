// fork(2) for the simulator, which has one thread alone: Swift's own module hides the function.
#pragma once
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static inline pid_t cfork_fork(void) { return fork(); }

// Waits for a child. The exit status; 1000 and the signal's number where a signal ended it; -1 for an error.
static inline int cfork_wait(pid_t child) {
  int status;
  if (waitpid(child, &status, 0) != child) return -1;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : -1;
}
