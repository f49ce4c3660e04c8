#ifndef WAYBILL_CPOSTGRES_SHIM_H
#define WAYBILL_CPOSTGRES_SHIM_H

#include <libpq-fe.h>

// By default libpq writes the server's notices to standard error, where nobody expects them.
static inline void cpostgres_ignore_notice(void *argument, const PGresult *result) {
  (void)argument;
  (void)result;
}

static inline void cpostgres_ignore_notices(PGconn *connection) {
  PQsetNoticeReceiver(connection, cpostgres_ignore_notice, 0);
}

// The five characters of an error's SQLSTATE, or null. The code of this field is a character constant, which Swift does not
// import.
static inline const char *cpostgres_sqlstate(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

// The first line of an error's text, without the statement.
static inline const char *cpostgres_primary_message(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

#endif
