// Plain functions over things that glibc declares only under _GNU_SOURCE, or not at all in the module that Swift sees.
// Each answers as the system call does: -1 with errno set, unless it says otherwise.

#ifndef CLINUX_H
#define CLINUX_H

#include <stdint.h>
#include <sys/types.h>

/// renameat2 with RENAME_NOREPLACE: EEXIST rather than replacing what is there.
int clinux_rename_noreplace(int from_directory, const char *from, int to_directory, const char *to);

/// Keeps the process's memory out of core files and from other processes of the same user (prctl(2), PR_SET_DUMPABLE).
int clinux_forbid_dumps(void);

/// Takes the capabilities of this thread out of what programs inherit: the ambient set (prctl(2), PR_CAP_AMBIENT) and the inheritable
/// one (capset(2)).
void clinux_keep_capabilities_from_programs(void);

/// Has malloc use so many arenas at the most, whatever the number of threads (mallopt(3), M_ARENA_MAX).
void clinux_limit_arenas(int count);

/// Gives free memory of all arenas back to the kernel (malloc_trim(3)).
void clinux_return_memory(void);

// Takes the pages of the program and its libraries that were read and never written out of the process. Those that are used again
// come back by a minor fault.
void clinux_forget_code(void);

/// Fills a buffer with random bytes (getrandom(2)).
int clinux_random(void *bytes, size_t count);

/// An eventfd counter, non-blocking and closed on exec.
int clinux_eventfd(void);

/// A timer on CLOCK_BOOTTIME (timerfd_create(2)), non-blocking and closed on exec.
int clinux_boot_timer(void);

/// Has such a timer ring once after so many nanoseconds; 0 stops it.
int clinux_set_timer(int descriptor, int64_t nanoseconds);

/// Opens relative to a directory; a fixed-arity form of the variadic openat, restarted after a signal.
int clinux_openat(int directory, const char *path, int flags, mode_t mode);

/// Opens a directory below another one by its path (O_PATH), following no symbolic link and entering no other file system on the
/// way: ELOOP and EXDEV say so. By openat2(2), or step by step where the kernel refuses it: Linux before 5.6, and sandboxes that
/// cannot look into its arguments and so refuse it (RestrictSUIDSGID= of systemd answers ENOSYS, some containers EPERM).
int clinux_open_beneath(int directory, const char *path);

/// The same, step by step whatever the kernel has. Each part of the path is opened by itself in the directory before it, and
/// looked at once it is open; `..` is EXDEV.
int clinux_walk_beneath(int directory, const char *path);

/// The number of the mount that an open file is on, as /proc/self/mountinfo has it; ENOTSUP before Linux 5.8.
int clinux_mount(int descriptor, uint64_t *number);

/// Has a network file system fetch the facts of a name anew instead of answering from what it remembers (statx(2)).
int clinux_refresh(int directory, const char *name);

/// When an open file or directory was made, nanoseconds since the Unix epoch; ENOTSUP where that is not kept.
int clinux_birth(int descriptor, int64_t *nanoseconds);

/// Returns when all that was written to the file system of an open file is on disk (syncfs(2)).
int clinux_sync_file_system(int descriptor);

/// Takes an exclusive open-file-description lock on the whole file without waiting: EAGAIN while another holds it.
/// It belongs to the open file, not to the process, so that two openings in one process exclude each other too.
int clinux_lock(int descriptor);

/// Returns 1 if another opening of the file has that lock, else 0, or -1 with errno. It does not take the lock.
int clinux_lock_is_held(int descriptor);

/// Gives that lock back, whoever else has the descriptor.
int clinux_unlock(int descriptor);

/// Takes a read lease on a file that is open for reading alone (F_SETLEASE, F_RDLCK): EAGAIN while anybody has it open for
/// writing, EACCES for another user's file without CAP_LEASE. It goes with the descriptor. Who wants to write meanwhile
/// waits, and SIGIO is raised here. The first call has the process ignore it: by default it would end the process.
int clinux_read_lease(int descriptor);

/// Returns 1 if the process has a capability (CAP_FOWNER …) in its effective set, else 0, or -1 with errno.
int clinux_has_capability(int capability);

/// CAP_FOWNER, from linux/capability.h.
extern const int clinux_cap_fowner;

/// FNM_CASEFOLD, from fnmatch.h.
extern const int clinux_any_case;

/// O_PATH, from fcntl.h.
extern const int clinux_path_only;

/// CAP_LEASE, from linux/capability.h.
extern const int clinux_cap_lease;

/// The file system's magic number (f_type of fstatfs).
int clinux_file_system_magic(int descriptor, uint64_t *magic);

/// Names the calling thread for ps and debuggers; at most 15 bytes count.
void clinux_name_thread(const char *name);

/// flistxattr(2): the names of the extended attributes, each with a NUL behind it; with size 0 the room they need.
ssize_t clinux_list_attributes(int descriptor, char *list, size_t size);

/// Returns 0 if a file in a directory has no extended attributes, else 1; also 1 where that cannot be told (llistxattr(2) on
/// the directory's name in /proc, since there is no such call for a name in an open directory before Linux 6.13).
int clinux_has_attributes(int directory, const char *name);

/// fgetxattr(2): the value of one extended attribute.
ssize_t clinux_get_attribute(int descriptor, const char *name, void *value, size_t size);

/// fsetxattr(2): sets an extended attribute, whether it is there or not.
int clinux_set_attribute(int descriptor, const char *name, const void *value, size_t size);

/// preadv2(2) from the start of a file with RWF_NOWAIT: EAGAIN where a disk would have to be waited for.
ssize_t clinux_read_cached(int descriptor, void *buffer, size_t size);

/// sendfile(2) of a range to nowhere: the bytes come into the kernel's memory, and are copied to nobody.
ssize_t clinux_load(int descriptor, off_t offset, size_t size);

/// copy_file_range(2) from and to the files' own positions.
ssize_t clinux_copy_range(int from, int to, size_t size);

/// memfd_create(2): a file without a name, in memory alone, closed on exec.
int clinux_create_in_memory(void);

/// Sets the time of the last modification alone, in nanoseconds since the Unix epoch (futimens(3)).
int clinux_set_modified(int descriptor, int64_t nanoseconds);

/// Has the signals that ask a process to end or to stop noted instead: the number of each that comes is a byte to read
/// from the descriptor that is given back. One that is ignored stays ignored (nohup). To be called once.
int clinux_catch_signals(const int *signals, size_t count);

/// Lets a signal do what it does to a process that has not caught it.
void clinux_end_by_signal(int signal);

/// Gives a terminal's keys as they are pressed, unseen: no lines, no echo; signals and output stay as they are.
/// Earlier input is dropped. `before` is how the terminal was set, a struct termios.
int clinux_terminal_keys(int descriptor, const void *before);

/// A socket on which the kernel tells of links, addresses and routes that come and go (rtnetlink(7)), non-blocking and closed
/// on exec.
int clinux_network_socket(void);

/// Takes what waits there without looking at it: 1 if anything did, or was lost for want of room (ENOBUFS), else 0.
int clinux_take_network_messages(int descriptor);

/// CRC-32C (RFC 3720, appendix B.4) of bytes that follow those with the first CRC; 0 is the CRC of none. By the processor's
/// own instruction where it has one.
uint32_t clinux_crc32c(uint32_t crc, const void *bytes, size_t count);

/// The same for CRC-64/NVME (NVM Express NVM Command Set Specification 1.0d, section 5.2.1.3.4), by carry-less
/// multiplication where the processor has it.
uint64_t clinux_crc64nvme(uint64_t crc, const void *bytes, size_t count);

/// The same two by tables alone, as on a processor without such instructions.
uint32_t clinux_crc32c_plain(uint32_t crc, const void *bytes, size_t count);
uint64_t clinux_crc64nvme_plain(uint64_t crc, const void *bytes, size_t count);

/// The CRC of bytes with the first CRC, followed by `count` bytes with the second.
uint32_t clinux_crc32c_combine(uint32_t first, uint32_t second, uint64_t count);
uint64_t clinux_crc64nvme_combine(uint64_t first, uint64_t second, uint64_t count);

/// The symbolic name of an errno value, such as "EACCES", or NULL for one without a name.
const char *clinux_errno_name(int error);

/// The calls on files of a test, which are counted, and of which one may fail. In release builds there is nothing of this.
///
/// A plan is `NUMBER=ERRNO` or `KEY:TURN=ERRNO`: the call of that number, or the call of that turn among those with that key,
/// fails instead of being made. With a `+` behind it, each later one of the same name on the same file fails too, and with a `*` each
/// later one whatsoever. A key is `CALL:FILE:PLACE`, where PLACE stands for the functions that it comes through, or `CALL:FILE` for all places.
typedef struct clinux_calls clinux_calls;

/// Makes it of a plan and of the path of a file that each call is written to, both of which may be NULL; NULL for a plan that
/// cannot be read. The process's own comes from `WAYBILL_FAILING_CALL` and `WAYBILL_CALL_TRACE`.
clinux_calls *clinux_make_calls(const char *plan, const char *trace);
void clinux_free_calls(clinux_calls *calls);

/// Has something done just before the call of a number. The calls of that are not counted.
void clinux_meet_before(clinux_calls *calls, uint64_t number, void (*meet)(void *context), void *context);

/// Has it count the calls of this thread from here on, in place of the process's; NULL ends that. Gives back the one before.
clinux_calls *clinux_use_calls(clinux_calls *calls);

/// The number of calls that it has counted; 1 if one of them has failed.
uint64_t clinux_count_of_calls(const clinux_calls *calls);
int clinux_call_has_failed(const clinux_calls *calls);

/// Returns 1 if the calls of this thread are counted.
int clinux_watches_calls(void);

/// Watches writes to files below a folder, or none for NULL; while the disk is full, they fail with ENOSPC. For simulations, which
/// have one thread. SQLite's writes are among them if this comes before it opens a file.
void clinux_watch_space(const char *folder);
void clinux_fill_space(int is_full);

/// Counts a call on an open file, or on a path in an open directory; 0, or the error with which it is to fail.
int clinux_meet_call(const char *call, int descriptor, const char *path);

#endif
