#ifndef WAYBILL_CSQLITE_SHIM_H
#define WAYBILL_CSQLITE_SHIM_H

// The function of sqlite3.h that is variadic, which Swift cannot call. The header itself belongs to GRDB's module.
struct sqlite3;
int sqlite3_db_config(struct sqlite3 *database, int option, ...);

// SQLITE_DBCONFIG_LOOKASIDE: gives a connection so many slots of so many bytes for small allocations, instead of malloc(3).
// SQLITE_BUSY once slots are in use.
static inline int csqlite_set_lookaside(struct sqlite3 *database, int size, int count) {
  return sqlite3_db_config(database, 1001, (void *)0, size, count);
}

#endif
