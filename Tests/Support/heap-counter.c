// Counts the bytes that a program has from the C library's heap, now and at most: preloaded into it, with HEAP_COUNTER naming a
// file of two numbers of 8 bytes, which the program shares with whoever reads them meanwhile, and who may set the second one back.
//
// The pages of SQLite's caches are left out: a cache fills up with whatever the program does, and has a bound of its own
// (PRAGMA cache_size). Such a page is a block of 4,096 bytes and about 300 of SQLite's own.
//
//   clang -shared -fPIC -O2 -o heap-counter.so heap-counter.c && HEAP_COUNTER=FILE LD_PRELOAD=$PWD/heap-counter.so …
#define _GNU_SOURCE
#include <fcntl.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct heap {
  int64_t now, most;
};

static struct heap own;
static struct heap *heap = &own;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("HEAP_COUNTER");
  int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file == -1 || ftruncate(file, sizeof own) == -1) return;
  void *memory = mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory != MAP_FAILED) heap = memory;
}

static void add(int64_t bytes) {
  int64_t now = __atomic_add_fetch(&heap->now, bytes, __ATOMIC_RELAXED);
  int64_t most = __atomic_load_n(&heap->most, __ATOMIC_RELAXED);
  while (now > most && !__atomic_compare_exchange_n(&heap->most, &most, now, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static int64_t size_of(void *memory) {
  size_t size = malloc_usable_size(memory);
  return size >= 4096 + 200 && size < 4096 + 400 ? 0 : (int64_t)size;
}

static void *made(void *memory) {
  if (memory) add(size_of(memory));
  return memory;
}

void *malloc(size_t size) { return made(__libc_malloc(size)); }
void *calloc(size_t number, size_t size) { return made(__libc_calloc(number, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return made(__libc_memalign(alignment, size)); }
void *memalign(size_t alignment, size_t size) { return made(__libc_memalign(alignment, size)); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = made(__libc_memalign(alignment, size));
  return *memory ? 0 : 12;
}

void *realloc(void *old, size_t size) {
  int64_t before = old ? size_of(old) : 0;
  void *memory = __libc_realloc(old, size);
  if (memory || size == 0) add(-before);
  return made(memory);
}

void free(void *memory) {
  if (memory) add(-size_of(memory));
  __libc_free(memory);
}
