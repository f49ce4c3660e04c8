// For programs under ThreadSanitizer: Swift's Mutex (module Synchronization) is a futex. Its quick path is compiled into the
// program, where the sanitizer sees it; where somebody has to wait, locking and unlocking are done in a library that was built
// without. These functions stand before that library's, and tell of what is done in there. Without them everything under a
// Mutex looks like a race.
//
//   clang -shared -fPIC -O2 -o locks.so thread-sanitizer.c && LD_PRELOAD=$PWD/locks.so …
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// Not there in programs without the sanitizer, which are started with this too.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

#define MUTEX __attribute__((swift_context)) void *mutex
#define SWIFT __attribute__((swiftcall))

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void (*lock_slow)(uint32_t thread, MUTEX);
typedef SWIFT bool (*try_lock_slow)(MUTEX);
typedef SWIFT void (*unlock_slow)(MUTEX);

// The library's function of that name.
static void *theirs(void **found, const char *name) {
  void *function = __atomic_load_n(found, __ATOMIC_RELAXED);
  if (!function) {
    function = dlsym(RTLD_NEXT, name);
    __atomic_store_n(found, function, __ATOMIC_RELAXED);
  }
  return function;
}

SWIFT void tsan_lock_slow(uint32_t thread, MUTEX) __asm__(LOCK_SLOW);
SWIFT void tsan_lock_slow(uint32_t thread, MUTEX) {
  static void *found;
  ((lock_slow)theirs(&found, LOCK_SLOW))(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool tsan_try_lock_slow(MUTEX) __asm__(TRY_LOCK_SLOW);
SWIFT bool tsan_try_lock_slow(MUTEX) {
  static void *found;
  bool locked = ((try_lock_slow)theirs(&found, TRY_LOCK_SLOW))(mutex);
  if (locked && __tsan_acquire) __tsan_acquire(mutex);
  return locked;
}

SWIFT void tsan_unlock_slow(MUTEX) __asm__(UNLOCK_SLOW);
SWIFT void tsan_unlock_slow(MUTEX) {
  static void *found;
  if (__tsan_release) __tsan_release(mutex);
  ((unlock_slow)theirs(&found, UNLOCK_SLOW))(mutex);
}
