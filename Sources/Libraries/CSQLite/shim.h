#ifndef WAYBILL_CSQLITE_SHIM_H
#define WAYBILL_CSQLITE_SHIM_H

#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast, which Swift does not import. It makes SQLite copy a value before the call returns.
static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }

// sqlite3_config is variadic, which Swift does not call. Without statistics SQLite takes no lock of the whole process for each piece of
// memory that it gets and gives back. Only before its first other call.
static inline int csqlite_keep_no_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

#endif
