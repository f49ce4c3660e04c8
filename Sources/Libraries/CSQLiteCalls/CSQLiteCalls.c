// SQLite's calls on files, for tests that make them fail. Debug builds only.
//
// The unix VFS looks up each call in a table that can be changed (xSetSystemCall of sqlite3_vfs), so to SQLite it looks as if the
// kernel failed. Only fsync is not in the table: it is replaced in the method that calls it (xSync).
#if defined(DEBUG) || defined(SIMULATION)
#define _GNU_SOURCE
#include "CSQLiteCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "CSeams.h"

static int meet(const char *call, int descriptor, const char *path) {
  const int error = cseams_meet_call(call, descriptor, path);
  if (error == 0) return 0;
  errno = error;
  return 1;
}

static int watched_open(const char *path, int flags, int mode) {
  return meet("openat", -1, path) ? -1 : open(path, flags, mode);
}
static int watched_access(const char *path, int mode) {
  return meet("faccessat", -1, path) ? -1 : access(path, mode);
}
static int watched_stat(const char *path, struct stat *facts) {
  return meet("fstatat", -1, path) ? -1 : stat(path, facts);
}
static int watched_lstat(const char *path, struct stat *facts) {
  return meet("fstatat", -1, path) ? -1 : lstat(path, facts);
}
static int watched_fstat(int descriptor, struct stat *facts) {
  return meet("fstat", descriptor, NULL) ? -1 : fstat(descriptor, facts);
}
static int watched_ftruncate(int descriptor, off_t size) {
  return meet("ftruncate", descriptor, NULL) ? -1 : ftruncate(descriptor, size);
}
static int watched_fcntl(int descriptor, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  // Releasing a lock, and reading flags of the descriptor, do not fail.
  const struct flock *lock = argument;
  const int may_fail = command == F_GETLK || (command == F_SETLK && lock->l_type != F_UNLCK);
  return may_fail && meet("lock", descriptor, NULL) ? -1 : fcntl(descriptor, command, argument);
}
static ssize_t watched_read(int descriptor, void *bytes, size_t size) {
  return meet("read", descriptor, NULL) ? -1 : read(descriptor, bytes, size);
}
static ssize_t watched_pread(int descriptor, void *bytes, size_t size, off_t offset) {
  return meet("pread", descriptor, NULL) ? -1 : pread(descriptor, bytes, size, offset);
}
static ssize_t watched_write(int descriptor, const void *bytes, size_t size) {
  return meet("write", descriptor, NULL) ? -1 : write(descriptor, bytes, size);
}
static ssize_t watched_pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
  return meet("pwrite", descriptor, NULL) ? -1 : pwrite(descriptor, bytes, size, offset);
}
static int watched_unlink(const char *path) { return meet("unlinkat", -1, path) ? -1 : unlink(path); }
static void *watched_mmap(void *address, size_t size, int rights, int flags, int descriptor, off_t offset) {
  if (meet("mmap", descriptor, NULL)) return MAP_FAILED;
  return mmap(address, size, rights, flags, descriptor, offset);
}

typedef struct {
  const char *name;
  sqlite3_syscall_ptr call;
} watched_call;

static const watched_call calls[] = {
    {"open", (sqlite3_syscall_ptr)watched_open},       {"access", (sqlite3_syscall_ptr)watched_access},
    {"stat", (sqlite3_syscall_ptr)watched_stat},       {"lstat", (sqlite3_syscall_ptr)watched_lstat},
    {"fstat", (sqlite3_syscall_ptr)watched_fstat},     {"ftruncate", (sqlite3_syscall_ptr)watched_ftruncate},
    {"fcntl", (sqlite3_syscall_ptr)watched_fcntl},     {"read", (sqlite3_syscall_ptr)watched_read},
    {"pread", (sqlite3_syscall_ptr)watched_pread},     {"pread64", (sqlite3_syscall_ptr)watched_pread},
    {"write", (sqlite3_syscall_ptr)watched_write},     {"pwrite", (sqlite3_syscall_ptr)watched_pwrite},
    {"pwrite64", (sqlite3_syscall_ptr)watched_pwrite}, {"unlink", (sqlite3_syscall_ptr)watched_unlink},
    {"mmap", (sqlite3_syscall_ptr)watched_mmap},
};

// The methods of files, as the VFS has them and with xSync replaced. There are a few tables, one for each way of locking.
enum { most_tables = 8 };
static struct {
  const sqlite3_io_methods *theirs;
  sqlite3_io_methods ours;
} tables[most_tables];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int (*open_file)(sqlite3_vfs *, const char *, sqlite3_file *, int, int *);

static int watched_sync(sqlite3_file *file, int flags) {
  // SQLite hides the file's descriptor; the place of the call in the plan's key tells which file it is.
  if (meet("fsync", -1, "ledger")) return SQLITE_IOERR_FSYNC;
  for (int index = 0; index < most_tables; index++) {
    if (file->pMethods == &tables[index].ours) return tables[index].theirs->xSync(file, flags);
  }
  return SQLITE_INTERNAL;
}

static const sqlite3_io_methods *with_our_sync(const sqlite3_io_methods *theirs) {
  const sqlite3_io_methods *found = theirs;
  pthread_mutex_lock(&lock);
  for (int index = 0; index < most_tables; index++) {
    if (tables[index].theirs != NULL && tables[index].theirs != theirs) continue;
    if (tables[index].theirs == NULL) {
      tables[index].ours = *theirs;
      tables[index].ours.xSync = watched_sync;
      tables[index].theirs = theirs;
    }
    found = &tables[index].ours;
    break;
  }
  pthread_mutex_unlock(&lock);
  return found;
}

static int watched_open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *given) {
  const int code = open_file(vfs, path, file, flags, given);
  if (code == SQLITE_OK && file->pMethods != NULL) file->pMethods = with_our_sync(file->pMethods);
  return code;
}

static void watch(void) {
  sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
  if (vfs == NULL || vfs->iVersion < 3) return;
  for (size_t index = 0; index < sizeof calls / sizeof calls[0]; index++) {
    // A build without one of these calls returns SQLITE_NOTFOUND, and never makes that call.
    vfs->xSetSystemCall(vfs, calls[index].name, calls[index].call);
  }
  open_file = vfs->xOpen;
  vfs->xOpen = watched_open_file;
}

void csqlite_watch_calls(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (cseams_watches_calls()) pthread_once(&once, watch);
}

enum { operations_at_once = 100 };
static _Thread_local long long operations;

static int count_operations(void *unused) {
  (void)unused;
  operations += operations_at_once;
  return 0;
}

void csqlite_count_operations(sqlite3 *connection) {
  sqlite3_progress_handler(connection, operations_at_once, count_operations, NULL);
}

long long csqlite_operations(void) { return operations; }
#endif
