#ifndef CSEAMS_H
#define CSEAMS_H

#include <stdint.h>

/// The calls on files of a test: they are counted, and one of them may fail. `FailingCalls` describes plans. A key is `CALL:FILE:PLACE`,
/// where PLACE identifies the functions that the call comes through, or `CALL:FILE` for all places.
typedef struct cseams_calls cseams_calls;

/// Creates it from a plan and the path of a file that each call is written to. Both may be NULL. Returns NULL for a plan that
/// cannot be parsed. The process's own comes from `WAYBILL_FAILING_CALL` and `WAYBILL_CALL_TRACE`.
cseams_calls *cseams_make_calls(const char *plan, const char *trace);
void cseams_free_calls(cseams_calls *calls);

/// Calls a function just before the call with this number. Calls that the function makes are not counted.
void cseams_meet_before(cseams_calls *calls, uint64_t number, void (*meet)(void *context), void *context);

/// Counts the calls of this thread from here on, instead of the process's one; NULL ends that. Returns the previous one.
cseams_calls *cseams_use_calls(cseams_calls *calls);

/// The number of calls that were counted; and 1 if one of them has failed.
uint64_t cseams_count_of_calls(const cseams_calls *calls);
int cseams_call_has_failed(const cseams_calls *calls);

/// Returns 1 if the calls of this thread are counted.
int cseams_watches_calls(void);

/// Selects the directory below which writes and new names fail while the disk is full; NULL for none. For simulations, which have
/// one thread. It applies to SQLite's writes too if it is called before SQLite opens a file.
void cseams_watch_space(const char *folder);
void cseams_fill_space(int is_full);

/// Counts a call on an open file, or on a path in an open directory. Returns 0, or the error with which the call must fail.
int cseams_meet_call(const char *call, int descriptor, const char *path);

#endif
