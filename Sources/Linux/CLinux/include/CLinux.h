// Plain functions for system calls that glibc declares only under _GNU_SOURCE, or not at all in the module that Swift sees. Each
// returns what the system call returns, -1 with errno set for an error, unless its comment says otherwise.

#ifndef CLINUX_H
#define CLINUX_H

#include <malloc.h>
#include <stdint.h>
#include <sys/types.h>

/// renameat2 with RENAME_NOREPLACE: fails with EEXIST if the new name is taken.
int clinux_rename_noreplace(int from_directory, const char *from, int to_directory, const char *to);

/// Excludes the process's memory from core dumps, and from other processes of the same user (prctl(2), PR_SET_DUMPABLE).
int clinux_forbid_dumps(void);

/// Removes this thread's capabilities from what programs inherit: from the ambient set (prctl(2), PR_CAP_AMBIENT) and the
/// inheritable one (capset(2)).
void clinux_keep_capabilities_from_programs(void);

/// An eventfd counter, non-blocking and closed on exec.
int clinux_eventfd(void);

/// A timer on CLOCK_BOOTTIME (timerfd_create(2)), non-blocking and closed on exec.
int clinux_boot_timer(void);

/// Makes such a timer fire once after this number of nanoseconds; 0 disarms it.
int clinux_set_timer(int descriptor, int64_t nanoseconds);

/// Opens relative to a directory: openat with a fixed number of arguments.
int clinux_openat(int directory, const char *path, int flags, mode_t mode);

/// Opens a directory below another one by its path (O_PATH), step by step, and checks each component once it is open: a path through a
/// symbolic link, into another file system or with `..` fails with ELOOP or EXDEV.
int clinux_open_beneath(int directory, const char *path);

/// The id of the mount that an open file is on, as in /proc/self/mountinfo; ENOTSUP before Linux 5.8.
int clinux_mount(int descriptor, uint64_t *number);

/// Makes a network file system fetch the facts of a name again, instead of answering from its cache (statx(2)).
int clinux_refresh(int directory, const char *name);

/// Returns 1 if a file or directory is immutable or append-only (chattr(1)), 0 if not or not known, or -1 with errno.
int clinux_is_protected(const char *path);

/// Returns once everything that was written to the file system of an open file is on disk (syncfs(2)).
int clinux_sync_file_system(int descriptor);

/// Takes an exclusive open-file-description lock on the whole file without waiting: EAGAIN while another open file has it. It
/// belongs to the open file, not to the process, so two opens in one process exclude each other too.
int clinux_lock(int descriptor);

/// Returns 1 if another open file has that lock, 0 if not, or -1 with errno. It does not take the lock.
int clinux_lock_is_held(int descriptor);

/// Releases that lock, even if others have the descriptor too.
int clinux_unlock(int descriptor);

/// Requests a read lease on a file that is open only for reading (F_SETLEASE, F_RDLCK): EAGAIN while anybody has it open for
/// writing, EACCES for another user's file without CAP_LEASE. It is released when the descriptor is closed. Until then an open
/// for writing waits, and this process gets SIGIO. The first call makes the process ignore SIGIO, which would end it by default.
int clinux_read_lease(int descriptor);

/// Returns 1 if the process has a capability (such as CAP_FOWNER) in its effective set, 0 if not, or -1 with errno.
int clinux_has_capability(int capability);

/// Of linux/capability.h, fnmatch.h and fcntl.h.
extern const int clinux_cap_fowner, clinux_cap_lease, clinux_any_case, clinux_path_only;

/// The file system's magic number (f_type of fstatfs).
int clinux_file_system_magic(int descriptor, uint64_t *magic);

/// Names the calling thread for ps and debuggers; at most 15 bytes are used.
void clinux_name_thread(const char *name);

/// flistxattr(2): the names of the extended attributes, each followed by a NUL; with size 0, the required size.
ssize_t clinux_list_attributes(int descriptor, char *list, size_t size);

/// Returns 0 if a file in a directory certainly has no extended attributes, else 1. It uses llistxattr(2) on the directory's path
/// in /proc, since before Linux 6.13 there is no such call for a name in an open directory.
int clinux_has_attributes(int directory, const char *name);

/// fgetxattr(2): the value of one extended attribute.
ssize_t clinux_get_attribute(int descriptor, const char *name, void *value, size_t size);

/// fsetxattr(2): sets an extended attribute, whether or not it exists.
int clinux_set_attribute(int descriptor, const char *name, const void *value, size_t size);

/// preadv2(2) from the start of a file with RWF_NOWAIT: EAGAIN if it would have to wait for a disk.
ssize_t clinux_read_cached(int descriptor, void *buffer, size_t size);

/// copy_file_range(2) from and to the files' own positions.
ssize_t clinux_copy_range(int from, int to, size_t size);

/// Sets only the time of the last modification, in nanoseconds since the Unix epoch (futimens(3)).
int clinux_set_modified(int descriptor, int64_t nanoseconds);

/// Catches signals. The number of each signal becomes a byte that can be read from the returned descriptor, which does not block. With 0
/// for `ignored` a signal that is ignored stays so (nohup(1)). Call this once.
int clinux_catch_signals(const int *signals, size_t count, int ignored);

/// Lets a signal have its default effect.
void clinux_end_by_signal(int signal);

/// Drops what was typed at the terminal on standard input, writes a prompt on standard output, and reads a line, without showing it if it
/// is hidden. Returns its length with the line end; 0 at the end of the input. The terminal's settings are then as before, also if a
/// signal ends the process.
ssize_t clinux_ask(const char *prompt, int is_hidden, void *line, size_t size);

/// A socket on which the kernel reports changes of links, addresses and routes (rtnetlink(7)), non-blocking and closed on exec.
int clinux_network_socket(void);

/// Removes the waiting messages without parsing them. Returns 1 if there were any, or some were lost (ENOBUFS), else 0.
int clinux_take_network_messages(int descriptor);

/// The CRC-32C (RFC 3720, appendix B.4) of bytes that follow those with the given CRC; 0 is the CRC of no bytes.
uint32_t clinux_crc32c(uint32_t crc, const void *bytes, size_t count);

/// The same for CRC-64/NVME (NVM Express NVM Command Set Specification 1.0d, section 5.2.1.3.4).
uint64_t clinux_crc64nvme(uint64_t crc, const void *bytes, size_t count);

/// Both, by tables only, as on a processor without such instructions.
uint32_t clinux_crc32c_plain(uint32_t crc, const void *bytes, size_t count);
uint64_t clinux_crc64nvme_plain(uint64_t crc, const void *bytes, size_t count);

/// The CRC of bytes with the CRC `first`, followed by `count` bytes with the CRC `second`.
uint32_t clinux_crc32c_combine(uint32_t first, uint32_t second, uint64_t count);
uint64_t clinux_crc64nvme_combine(uint64_t first, uint64_t second, uint64_t count);

/// The symbolic name of an errno value, such as "EACCES", or NULL for one without a name.
const char *clinux_errno_name(int error);

#endif
