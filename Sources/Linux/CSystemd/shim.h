#ifndef WAYBILL_CSYSTEMD_SHIM_H
#define WAYBILL_CSYSTEMD_SHIM_H

// Without this, sd-journal.h replaces the functions with macros that add the source location in C, and Swift could not see them.
// Waybill passes CODE_FILE and CODE_LINE itself.
#define SD_JOURNAL_SUPPRESS_LOCATION

#include <sys/uio.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>

#endif
