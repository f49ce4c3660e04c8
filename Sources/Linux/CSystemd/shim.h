#ifndef WAYBILL_CSYSTEMD_SHIM_H
#define WAYBILL_CSYSTEMD_SHIM_H

// Without this, sd-journal.h replaces the functions with macros that add the source location in C, and Swift could not see them.
// Waybill passes CODE_FILE and CODE_LINE itself.
#define SD_JOURNAL_SUPPRESS_LOCATION

#include <errno.h>
#include <signal.h>
#include <sys/uio.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

// Code in a signal handler is written in C, because Swift does not guarantee that it is safe there. Each file that imports this
// header has its own copy of the variable; only Signals.swift uses it.
static volatile sig_atomic_t waybill_signal_pipe = -1;

static inline void waybill_signal_arrived(int number) {
  int saved = errno;
  unsigned char byte = (unsigned char)number;
  // The pipe does not block: if it is full, 64 KiB of signals are already waiting.
  ssize_t ignored = write(waybill_signal_pipe, &byte, 1);
  (void)ignored;
  errno = saved;
}

// Makes a signal write its number into a pipe, on whichever thread it arrives. Returns 0, or -1 with errno.
static inline int waybill_catch_signal(int number, int pipe) {
  waybill_signal_pipe = pipe;
  struct sigaction action = {0};
  action.sa_handler = waybill_signal_arrived;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  return sigaction(number, &action, NULL);
}

#endif
