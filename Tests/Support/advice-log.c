// Keeps what a program tells the kernel to take back of its memory: preloaded into it, with ADVICE_LOG naming a file to which each
// madvise(MADV_DONTNEED) adds two numbers of 8 bytes, the first address and the length, and each malloc_trim two zeros.
//
//   clang -shared -fPIC -O2 -o advice-log.so advice-log.c && ADVICE_LOG=FILE LD_PRELOAD=$PWD/advice-log.so …
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int file = -1;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("ADVICE_LOG");
  if (path) file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void keep(uint64_t start, uint64_t length) {
  const uint64_t entry[] = {start, length};
  if (file != -1 && write(file, entry, sizeof entry) != sizeof entry) abort();
}

int madvise(void *start, size_t length, int advice) {
  int result = (int)syscall(SYS_madvise, start, length, advice);
  if (result == 0 && advice == MADV_DONTNEED) keep((uint64_t)(uintptr_t)start, length);
  return result;
}

int malloc_trim(size_t rest) {
  static int (*own)(size_t);
  if (!own) own = (int (*)(size_t))dlsym(RTLD_NEXT, "malloc_trim");
  keep(0, 0);
  return own ? own(rest) : 0;
}
