// For programs under ThreadSanitizer: Swift's Mutex (module Synchronization) is a futex. Its quick path is compiled into the
// program, where the sanitizer sees it; whoever has to wait does so in a library that was built without. This stands before
// that library's function, and tells of the lock that was taken in there. Without it everything under a Mutex looks like a race.
//
//   clang -shared -fPIC -O2 -o thread-sanitizer.so thread-sanitizer.c && LD_PRELOAD=$PWD/thread-sanitizer.so …
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// Not there in programs without the sanitizer, which are started with this too.
__attribute__((weak)) void __tsan_acquire(void *address);

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"

typedef __attribute__((swiftcall)) void (*lock_slow)(uint32_t thread, __attribute__((swift_context)) void *mutex);

__attribute__((swiftcall, visibility("default"))) void tsan_lock_slow(
    uint32_t thread, __attribute__((swift_context)) void *mutex) __asm__(LOCK_SLOW);

__attribute__((swiftcall)) void tsan_lock_slow(uint32_t thread, __attribute__((swift_context)) void *mutex) {
  static lock_slow theirs;
  lock_slow function = __atomic_load_n(&theirs, __ATOMIC_RELAXED);
  if (!function) {
    function = (lock_slow)dlsym(RTLD_NEXT, LOCK_SLOW);
    __atomic_store_n(&theirs, function, __ATOMIC_RELAXED);
  }
  function(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}
