// Starting processes from a process that holds none of the test program's descriptors.
//
// Between fork and exec a child holds all that its parent has open. A lock, a lease, the end of a pipe or a listening
// socket of one test is then kept for a moment by the child of another one. So the test program has a child of its own
// that starts all others: the starter. It is forked before main, when nothing is open yet.

#ifndef CSPAWN_H
#define CSPAWN_H

#include <sys/types.h>

/// The starter's number; -1 where there is none.
extern pid_t cspawn_starter(void);

/// Has the starter start a program, found in its PATH or by its whole path, in a group of its own and without a blocked
/// or ignored signal.
///
/// Standard input is a descriptor, or a file where that is -1. The life is a socket for the two functions below.
/// Returns 0 or an error number.
extern int cspawn_start(
  char *const words[], char *const environment[], int input, const char *input_path, const char *output,
  const char *errors, pid_t *pid, int *life);

/// Waits for the end of a process. It stays a zombie, so that its number is not another's, until cspawn_reap.
///
/// The status is that of exit, or the number of a signal. Returns 0 or an error number.
extern int cspawn_wait(int life, int *is_signal, int *status);

/// Has the zombie go, comes back when it is gone, and closes the life.
extern void cspawn_reap(int life);

#endif
