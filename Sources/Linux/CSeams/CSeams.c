// Calls on files that a test can make fail. Only debug builds contain this: only for these Package.swift defines DEBUG.
#if defined(DEBUG) || defined(SIMULATION)
#define _GNU_SOURCE
#include "CSeams.h"

#include <ctype.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The maximum length of a path for the kernel. The longest part of a key is a name of 255 bytes.
enum { path_size = 4096, site_size = 320, key_size = 352, most_frames = 64, kept_frames = 7 };

struct cseams_calls {
  // The call that fails: the one with this number, or, if that is 0, this occurrence of the call with this key.
  uint64_t number;
  char key[key_size];
  uint64_t turn;
  int error;  // 0: none fails
  enum { once, on_that_file, from_then_on } stays;
  // A function that is called just before the call with this number, for a test that watches.
  uint64_t meets_at;
  void (*meet)(void *context);
  void *context;
  int trace;  // -1: nothing is written
  _Atomic uint64_t count;
  _Atomic uint64_t turns;
  _Atomic int has_failed;
  char site[site_size];  // written before has_failed
};

static cseams_calls *of_process(void);
static _Thread_local cseams_calls *of_thread = NULL;

static cseams_calls *watching(void) { return of_thread != NULL ? of_thread : of_process(); }

cseams_calls *cseams_use_calls(cseams_calls *calls) {
  cseams_calls *before = of_thread;
  of_thread = calls;
  return before;
}

// The directory below which the disk may be full, for a simulation with one thread.
static char space_folder[path_size];
static int space_is_full = 0;

void cseams_watch_space(const char *folder) {
  space_is_full = 0;
  snprintf(space_folder, sizeof space_folder, "%s", folder == NULL ? "" : folder);
}

void cseams_fill_space(int is_full) { space_is_full = is_full; }

int cseams_watches_calls(void) { return watching() != NULL || space_folder[0] != '\0'; }

uint64_t cseams_count_of_calls(const cseams_calls *calls) { return calls->count; }
int cseams_call_has_failed(const cseams_calls *calls) { return calls->has_failed; }

static int number_of_error(const char *name) {
  for (int number = 1; number < 134; number++) {
    const char *own = strerrorname_np(number);
    if (own != NULL && strcmp(own, name) == 0) return number;
  }
  return 0;
}

// NUMBER=ERRNO or KEY:TURN=ERRNO, either with + or * at the end.
static int read_plan(cseams_calls *calls, const char *plan) {
  char text[key_size + 64];
  if (strlen(plan) >= sizeof text) return 0;
  strcpy(text, plan);
  char *error = strrchr(text, '=');
  if (error == NULL) return 0;
  *error++ = '\0';
  size_t length = strlen(error);
  if (length > 0 && (error[length - 1] == '+' || error[length - 1] == '*')) {
    calls->stays = error[length - 1] == '+' ? on_that_file : from_then_on;
    error[length - 1] = '\0';
  }
  calls->error = number_of_error(error);
  char *turn = strrchr(text, ':'), *end;
  if (turn == NULL) {
    calls->number = strtoull(text, &end, 10);
    return calls->error != 0 && calls->number > 0 && *end == '\0';
  }
  *turn++ = '\0';
  calls->turn = strtoull(turn, &end, 10);
  if (calls->error == 0 || calls->turn == 0 || *end != '\0' || strlen(text) >= key_size) return 0;
  strcpy(calls->key, text);
  return 1;
}

cseams_calls *cseams_make_calls(const char *plan, const char *trace) {
  cseams_calls *calls = calloc(1, sizeof *calls);
  if (calls == NULL) return NULL;
  calls->trace = -1;
  if (plan != NULL && !read_plan(calls, plan)) {
    free(calls);
    return NULL;
  }
  if (trace != NULL) {
    calls->trace = open(trace, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (calls->trace == -1) {
      free(calls);
      return NULL;
    }
  }
  return calls;
}

void cseams_meet_before(cseams_calls *calls, uint64_t number, void (*meet)(void *context), void *context) {
  calls->meet = meet;
  calls->context = context;
  calls->meets_at = number;
}

void cseams_free_calls(cseams_calls *calls) {
  if (calls->trace != -1) close(calls->trace);
  free(calls);
}

static cseams_calls *asked_for(void) {
  const char *plan = getenv("WAYBILL_FAILING_CALL"), *trace = getenv("WAYBILL_CALL_TRACE");
  if (plan == NULL && trace == NULL) return NULL;
  cseams_calls *calls = cseams_make_calls(plan, trace);
  if (calls != NULL) return calls;
  // With a wrong plan, a test would wait in vain for the call to fail.
  fprintf(stderr, "%s: WAYBILL_FAILING_CALL is not NUMBER=ERRNO or KEY:TURN=ERRNO, with + behind it or not\n",
          program_invocation_short_name);
  _exit(64);
}

static cseams_calls *of_process(void) {
  static _Atomic(cseams_calls *) plan = NULL;
  static _Atomic int is_read = 0;
  // Two threads may both read it: they read the same, and the first result is kept.
  if (!is_read) {
    cseams_calls *own = asked_for(), *none = NULL;
    if (own != NULL && !atomic_compare_exchange_strong(&plan, &none, own)) cseams_free_calls(own);
    is_read = 1;
  }
  return plan;
}

// Writes the last component of a path. Ids and numbers in it become #, because they differ from run to run.
static void write_name(const char *path, char *out, size_t size) {
  const char *end = path + strlen(path);
  while (end > path + 1 && end[-1] == '/') end--;
  const char *start = end;
  while (start > path && start[-1] != '/') start--;
  size_t filled = 0;
  while (start < end && filled + 2 < size) {
    const char *run = start;
    int has_digit = 0;
    while (run < end && (isxdigit((unsigned char)*run) || (*run == '-' && run > start))) has_digit |= isdigit((unsigned char)*run++);
    if (run > start && has_digit && (run - start >= 4 || run == start + strspn(start, "0123456789"))) {
      out[filled++] = '#';
      start = run;
      continue;
    }
    const char *next = run > start ? run : start + 1;
    for (; start < next && filled + 2 < size; start++) out[filled++] = strchr(" :=\n", *start) != NULL ? '_' : *start;
  }
  out[filled] = '\0';
}

static void find_path(int descriptor, const char *path, char *out) {
  out[0] = '\0';
  if (path != NULL && path[0] == '/') {
    snprintf(out, path_size, "%s", path);
    return;
  }
  if (descriptor >= 0) {
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t size = readlink(link, out, path_size - 1);
    out[size > 0 ? size : 0] = '\0';
  }
  if (path == NULL || strcmp(path, ".") == 0) return;
  size_t length = strlen(out);
  snprintf(out + length, path_size - length, "%s%s", length > 0 ? "/" : "", path);
}

extern const char __executable_start[], etext[];

// A hash of the innermost places in this program that the call comes through, outside of the function that reports it. It does
// not depend on the address at which the program was loaded.
static uint32_t place_of_call(const void *teller) {
  void *frames[most_frames];
  int count = backtrace(frames, most_frames), kept = 0, first = 0;
  while (first < count && frames[first] != teller) first++;
  uint32_t hash = 2166136261u;
  for (int index = first + 1; index < count && kept < kept_frames; index++) {
    const char *frame = frames[index];
    if (frame < __executable_start || frame >= etext) continue;
    const uint64_t offset = (uint64_t)(frame - __executable_start);
    for (int byte = 0; byte < 8; byte++) hash = (hash ^ (uint8_t)(offset >> (8 * byte))) * 16777619u;
    kept++;
  }
  return hash;
}

// Returns 1 if the name of the call is needed: of every call for a plan by name, and of the call in question for a plan by
// number.
static int wants_name(const cseams_calls *calls, uint64_t number) {
  if (calls->trace != -1) return 1;
  if (calls->error == 0) return 0;
  if (calls->has_failed) return calls->stays == on_that_file;
  return calls->number == 0 || calls->number == number;
}

// Finding the place of a call takes longer than most calls. So it is done only if everything else in the plan's key matches.
static int has_key(const cseams_calls *calls, const char *site, const void *teller) {
  const size_t length = strlen(site);
  if (strncmp(calls->key, site, length) != 0) return 0;
  if (calls->key[length] == '\0') return 1;
  char place[16];
  snprintf(place, sizeof place, ":%08x", place_of_call(teller));
  return strcmp(calls->key + length, place) == 0;
}

static int fails(cseams_calls *calls, const char *site, uint64_t number, const void *teller) {
  if (calls->error == 0) return 0;
  if (calls->has_failed) return calls->stays == from_then_on || (calls->stays == on_that_file && strcmp(calls->site, site) == 0);
  const int is_it =
      calls->number > 0 ? number == calls->number : has_key(calls, site, teller) && ++calls->turns == calls->turn;
  if (!is_it) return 0;
  strcpy(calls->site, site);
  calls->has_failed = 1;
  return 2;
}

static void say(int descriptor, const char *text) {
  (void)!write(descriptor, text, strlen(text));
}

// Returns the error of a call that must fail for lack of space, or 0. Overwriting and renaming fail too: harder than on a real disk.
static int finds_no_space(const char *call, int descriptor, const char *path) {
  const int takes_space = strcmp(call, "write") == 0 || strcmp(call, "pwrite") == 0 || strcmp(call, "fallocate") == 0 ||
                          strcmp(call, "copy_file_range") == 0 || strcmp(call, "linkat") == 0 || strcmp(call, "renameat2") == 0;
  if (!takes_space || !space_is_full || space_folder[0] == '\0' || descriptor < 0) return 0;
  char whole[path_size];
  const int before = errno;
  find_path(descriptor, path, whole);
  errno = before;
  return strncmp(whole, space_folder, strlen(space_folder)) != 0 ? 0 : path == NULL ? ENOSPC : EDQUOT;
}

static _Thread_local int is_meeting = 0;

int cseams_meet_call(const char *call, int descriptor, const char *path) {
  const int no_space = finds_no_space(call, descriptor, path);
  if (no_space != 0) return no_space;
  cseams_calls *calls = watching();
  if (calls == NULL || is_meeting) return 0;
  const int before = errno;
  const void *teller = __builtin_return_address(0);
  is_meeting = 1;
  char whole[path_size] = "", name[256], site[site_size] = "", line[path_size + key_size + 64];
  const uint64_t number = ++calls->count;
  if (wants_name(calls, number)) {
    find_path(descriptor, path, whole);
    write_name(whole, name, sizeof name);
    snprintf(site, sizeof site, "%s:%s", call, name);
  }
  if (calls->trace != -1) {
    snprintf(line, sizeof line, "%llu %s:%08x %s\n", (unsigned long long)number, site, place_of_call(teller), whole);
    say(calls->trace, line);
  }
  if (calls->meet != NULL && number == calls->meets_at) calls->meet(calls->context);
  const int answer = fails(calls, site, number, teller);
  // Within a process, the test that made the plan asks for the result itself.
  if (answer == 2 && of_thread == NULL) {
    snprintf(line, sizeof line, "%s: call %llu %s of %s fails: %s\n", program_invocation_short_name,
             (unsigned long long)number, call, whole, strerrorname_np(calls->error));
    say(STDERR_FILENO, line);
  }
  is_meeting = 0;
  errno = before;
  return answer == 0 ? 0 : calls->error;
}
#endif
