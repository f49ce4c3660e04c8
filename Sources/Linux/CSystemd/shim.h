#ifndef WAYBILL_CSYSTEMD_SHIM_H
#define WAYBILL_CSYSTEMD_SHIM_H

// Without this, sd-journal.h turns the functions into macros that add the place in C; Swift could not see them.
// We pass CODE_FILE and CODE_LINE ourselves.
#define SD_JOURNAL_SUPPRESS_LOCATION

#include <errno.h>
#include <signal.h>
#include <sys/uio.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

// Code inside a signal handler is written in C: Swift does not promise to be safe there. Each file that imports this
// has a copy of the variable; only Signals.swift uses it.
static volatile sig_atomic_t waybill_signal_pipe = -1;

static inline void waybill_signal_arrived(int number) {
  int saved = errno;
  unsigned char byte = (unsigned char)number;
  // Non-blocking: with the pipe full, 64 KiB of signals wait already.
  ssize_t ignored = write(waybill_signal_pipe, &byte, 1);
  (void)ignored;
  errno = saved;
}

// Has a signal written into a pipe, whichever thread it meets. 0, or -1 with errno.
static inline int waybill_catch_signal(int number, int pipe) {
  waybill_signal_pipe = pipe;
  struct sigaction action = {0};
  action.sa_handler = waybill_signal_arrived;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  return sigaction(number, &action, NULL);
}

#endif
