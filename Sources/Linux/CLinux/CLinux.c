#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/capability.h>
#include <linux/rtnetlink.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <termios.h>
#include <unistd.h>

const int clinux_cap_fowner = CAP_FOWNER;
const int clinux_any_case = FNM_CASEFOLD;
const int clinux_path_only = O_PATH;
const int clinux_cap_lease = CAP_LEASE;

int clinux_rename_noreplace(int from_directory, const char *from, int to_directory, const char *to) {
  return renameat2(from_directory, from, to_directory, to, RENAME_NOREPLACE);
}

int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int clinux_boot_timer(void) { return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK); }

int clinux_set_timer(int descriptor, int64_t nanoseconds) {
  struct itimerspec time = {.it_value = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000}};
  return timerfd_settime(descriptor, 0, &time, NULL);
}

int clinux_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// The C library has no function for this. Version 3 has two words of 32 capabilities.
void clinux_keep_capabilities_from_programs(void) {
  (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[2];
  if (syscall(SYS_capget, &header, data) == -1) return;
  if (data[0].inheritable == 0 && data[1].inheritable == 0) return;
  data[0].inheritable = data[1].inheritable = 0;
  (void)syscall(SYS_capset, &header, data);
}

int clinux_openat(int directory, const char *path, int flags, mode_t mode) {
  return openat(directory, path, flags, mode);
}

ssize_t clinux_read_cached(int descriptor, void *buffer, size_t size) {
  struct iovec part = {.iov_base = buffer, .iov_len = size};
  return preadv2(descriptor, &part, 1, 0, RWF_NOWAIT);
}

// Checks that an open file is a directory and, if `root` is given, on the mount of `root`. A bind mount can have the same device,
// so mount ids are compared if both are known; kernels before 5.8 and some sandboxes report only the device.
static int examine_step(int descriptor, const struct statx *root, struct statx *facts) {
  const int flags = AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT;
  if (statx(descriptor, "", flags, STATX_TYPE | STATX_MNT_ID, facts) == -1) return -1;
  int error = 0;
  if (S_ISLNK(facts->stx_mode)) {
    error = ELOOP;
  } else if (!S_ISDIR(facts->stx_mode)) {
    error = ENOTDIR;
  } else if (root != NULL) {
    const int by_mount = (facts->stx_mask & root->stx_mask & STATX_MNT_ID) != 0;
    const int is_same = by_mount ? facts->stx_mnt_id == root->stx_mnt_id
                                 : facts->stx_dev_major == root->stx_dev_major && facts->stx_dev_minor == root->stx_dev_minor;
    if (!is_same) error = EXDEV;
  }
  errno = error;
  return error == 0 ? 0 : -1;
}

int clinux_open_beneath(int directory, const char *path) {
  struct statx root, facts;
  if (*path == '\0') {
    errno = ENOENT;
    return -1;
  }
  if (*path == '/') {
    errno = EXDEV;
    return -1;
  }
  if (examine_step(directory, NULL, &root) == -1) return -1;
  int here = directory;
  while (1) {
    char name[256];  // NAME_MAX and a NUL
    const size_t size = strcspn(path, "/");
    int error = 0, next = -1;
    if (size >= sizeof name) {
      error = ENAMETOOLONG;
    } else if (size == 2 && path[0] == '.' && path[1] == '.') {
      error = EXDEV;
    } else {
      memcpy(name, path, size);
      name[size] = '\0';
      // A symbolic link as the last component is opened itself, and detected by examine_step.
      next = clinux_openat(here, size == 0 ? "." : name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
      if (next == -1 || examine_step(next, &root, &facts) == -1) error = errno;
    }
    if (here != directory) close(here);
    if (error != 0) {
      if (next != -1) close(next);
      errno = error;
      return -1;
    }
    here = next;
    path += size;
    if (*path == '\0') return here;
    path++;
  }
}

int clinux_mount(int descriptor, uint64_t *number) {
  struct statx facts;
  if (statx(descriptor, "", AT_EMPTY_PATH, STATX_MNT_ID, &facts) == -1) return -1;
  if (!(facts.stx_mask & STATX_MNT_ID)) {
    errno = ENOTSUP;
    return -1;
  }
  *number = facts.stx_mnt_id;
  return 0;
}

int clinux_refresh(int directory, const char *name) {
  struct statx facts;
  return statx(directory, name, AT_SYMLINK_NOFOLLOW | AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &facts);
}

int clinux_is_protected(const char *path) {
  struct statx facts;
  if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, 0, &facts) == -1) return -1;
  return (facts.stx_attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)) != 0;
}

int clinux_sync_file_system(int descriptor) { return syncfs(descriptor); }

int clinux_lock(int descriptor) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int clinux_lock_is_held(int descriptor) {
  struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
  if (fcntl(descriptor, F_OFD_GETLK, &lock) == -1) return -1;
  return lock.l_type != F_UNLCK;
}

int clinux_unlock(int descriptor) {
  struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
  return fcntl(descriptor, F_OFD_SETLK, &lock);
}

// The kernel sends SIGIO when somebody waits for a lease to be released; by default that would end the process.
static void ignore_lease_breaks(void) { signal(SIGIO, SIG_IGN); }

int clinux_read_lease(int descriptor) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, ignore_lease_breaks);
  return fcntl(descriptor, F_SETLEASE, F_RDLCK);
}

int clinux_has_capability(int capability) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
  if (syscall(SYS_capget, &header, data) == -1) return -1;
  return (data[CAP_TO_INDEX(capability)].effective & CAP_TO_MASK(capability)) != 0;
}

int clinux_file_system_magic(int descriptor, uint64_t *magic) {
  struct statfs facts;
  if (fstatfs(descriptor, &facts) == -1) return -1;
  *magic = (uint64_t)(unsigned long)facts.f_type;
  return 0;
}

void clinux_name_thread(const char *name) {
  char shortened[16];
  snprintf(shortened, sizeof shortened, "%s", name);
  pthread_setname_np(pthread_self(), shortened);
}

const char *clinux_errno_name(int error) { return strerrorname_np(error); }

ssize_t clinux_list_attributes(int descriptor, char *list, size_t size) {
  return flistxattr(descriptor, list, size);
}

int clinux_has_attributes(int directory, const char *name) {
  char path[512];
  int size = snprintf(path, sizeof path, "/proc/self/fd/%d/%s", directory, name);
  if (size < 0 || (size_t)size >= sizeof path) return 1;
  ssize_t count = llistxattr(path, NULL, 0);
  return !(count == 0 || (count < 0 && errno == ENOTSUP));
}

ssize_t clinux_get_attribute(int descriptor, const char *name, void *value, size_t size) {
  return fgetxattr(descriptor, name, value, size);
}

int clinux_set_attribute(int descriptor, const char *name, const void *value, size_t size) {
  return fsetxattr(descriptor, name, value, size, 0);
}

ssize_t clinux_copy_range(int from, int to, size_t size) { return copy_file_range(from, NULL, to, NULL, size, 0); }

int clinux_set_modified(int descriptor, int64_t nanoseconds) {
  const int64_t second = 1000000000;
  int64_t rest = nanoseconds % second;
  int is_before = rest < 0;
  struct timespec times[2] = {
      {.tv_nsec = UTIME_OMIT},
      {.tv_sec = (time_t)(nanoseconds / second - is_before), .tv_nsec = (long)(is_before ? rest + second : rest)},
  };
  return futimens(descriptor, times);
}

static int caught[2] = {-1, -1};

static void note_signal(int signal) {
  int error = errno;
  unsigned char number = (unsigned char)signal;
  // If the pipe is full, it has thousands of unread signals: one more says nothing new.
  ssize_t written = write(caught[1], &number, 1);
  (void)written;
  errno = error;
}

int clinux_catch_signals(const int *signals, size_t count, int ignored) {
  if (pipe2(caught, O_CLOEXEC | O_NONBLOCK) == -1) return -1;
  for (size_t index = 0; index < count; index++) {
    struct sigaction now;
    if (sigaction(signals[index], NULL, &now) == -1) return -1;
    if (!ignored && now.sa_handler == SIG_IGN) continue;
    struct sigaction noted = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    sigfillset(&noted.sa_mask);
    if (sigaction(signals[index], &noted, NULL) == -1) return -1;
  }
  return caught[0];
}

void clinux_end_by_signal(int number) {
  struct sigaction usual = {.sa_handler = SIG_DFL};
  sigset_t set;
  sigaction(number, &usual, NULL);
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  raise(number);
}

static struct termios shown;

static void unhide(int number) {
  (void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown);
  clinux_end_by_signal(number);
}

ssize_t clinux_ask(const char *prompt, int is_hidden, void *line, size_t size) {
  static const int ends[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  if (tcgetattr(STDIN_FILENO, &shown) == -1) return -1;
  struct termios now = shown;
  if (is_hidden) {
    for (int end = 0; end < 4; end++) signal(ends[end], unhide);
    now.c_lflag &= ~(tcflag_t)ECHO;
    now.c_lflag |= ECHONL;
    now.c_cc[VSUSP] = _POSIX_VDISABLE;
  }
  if (tcsetattr(STDIN_FILENO, TCSAFLUSH, &now) == -1) return -1;
  const ssize_t count = write(STDOUT_FILENO, prompt, strlen(prompt)) == -1 ? -1 : read(STDIN_FILENO, line, size);
  (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &shown);
  return count;
}

int clinux_network_socket(void) {
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (descriptor == -1) return -1;
  struct sockaddr_nl address = {
      .nl_family = AF_NETLINK,
      .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
  };
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

int clinux_take_network_messages(int descriptor) {
  char byte;
  int any = 0;
  while (1) {
    // A message that is longer than the buffer is removed as a whole.
    ssize_t size = recv(descriptor, &byte, sizeof byte, MSG_DONTWAIT);
    if (size == -1 && errno == EINTR) continue;
    if (size == -1 && errno == EAGAIN) return any;
    if (size == -1 && errno != ENOBUFS) return -1;
    any = 1;
  }
}
