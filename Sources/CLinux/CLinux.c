#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

const int clinux_cap_fowner = CAP_FOWNER;

int clinux_rename_noreplace(int from_directory, const char *from, int to_directory, const char *to) {
  return renameat2(from_directory, from, to_directory, to, RENAME_NOREPLACE);
}

int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int clinux_openat(int directory, const char *path, int flags, mode_t mode) {
  int descriptor;
  do {
    descriptor = openat(directory, path, flags, mode);
  } while (descriptor == -1 && errno == EINTR);
  return descriptor;
}

int clinux_lock(int descriptor) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(descriptor, F_OFD_SETLK, &lock);
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

ssize_t clinux_get_attribute(int descriptor, const char *name, void *value, size_t size) {
  return fgetxattr(descriptor, name, value, size);
}

int clinux_set_attribute(int descriptor, const char *name, const void *value, size_t size) {
  return fsetxattr(descriptor, name, value, size, 0);
}
