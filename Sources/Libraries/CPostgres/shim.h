#ifndef WAYBILL_CPOSTGRES_SHIM_H
#define WAYBILL_CPOSTGRES_SHIM_H

#include <libpq-fe.h>

// libpq writes a server's notices to standard error unless it is told where to; nobody asked for them.
static inline void cpostgres_ignore_notice(void *argument, const PGresult *result) {
  (void)argument;
  (void)result;
}

static inline void cpostgres_ignore_notices(PGconn *connection) {
  PQsetNoticeReceiver(connection, cpostgres_ignore_notice, 0);
}

// The five characters of an error's SQLSTATE, or null: the field's name is a character, which Swift does not import.
static inline const char *cpostgres_sqlstate(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

// An error's first line, without the statement around it.
static inline const char *cpostgres_primary_message(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

#endif
