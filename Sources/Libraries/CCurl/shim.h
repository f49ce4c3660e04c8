#ifndef WAYBILL_CCURL_SHIM_H
#define WAYBILL_CCURL_SHIM_H

/* libcurl's type checks are for C callers of its variadic macros. The functions below have their own types. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Swift cannot call variadic C functions. libcurl's options have a few argument types, so there is one function for each type
 * that is used. */

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

/* For CURLOPT_PRIVATE, the callbacks' context pointers, CURLOPT_ERRORBUFFER and CURLOPT_POSTFIELDS. */
static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, const void *value) {
  return curl_easy_setopt(handle, option, value);
}

/* libcurl copies the bytes. */
static inline CURLcode ccurl_set_blob(CURL *handle, CURLoption option, const void *bytes, size_t length) {
  struct curl_blob blob = {(void *)(uintptr_t)bytes, length, CURL_BLOB_COPY};
  return curl_easy_setopt(handle, option, &blob);
}

static inline CURLcode ccurl_set_headers(CURL *handle, struct curl_slist *headers) {
  return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

/* The type of the body, header and read callbacks. */
typedef size_t (*ccurl_data_function)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_data_function(CURL *handle, CURLoption option, ccurl_data_function function) {
  return curl_easy_setopt(handle, option, function);
}

static inline CURLcode ccurl_set_seek_function(CURL *handle, curl_seek_callback function) {
  return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, function);
}

/* libcurl calls this each time it is about to send the request on a connection. */
static inline CURLcode ccurl_set_prereq_function(CURL *handle, curl_prereq_callback function) {
  return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, function);
}

/* libcurl calls this whenever bytes are transferred and, with a speed limit, at least once a second. */
static inline CURLcode ccurl_set_progress_function(CURL *handle, curl_xferinfo_callback function) {
  return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, function);
}

static inline CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode ccurl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode ccurl_get_pointer(CURL *handle, CURLINFO info, void **value) {
  return curl_easy_getinfo(handle, info, value);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *handle, CURLMoption option, long value) {
  return curl_multi_setopt(handle, option, value);
}

/* Returns 1 if the file is there in which libcurl looks for the system's authorities. */
static inline int ccurl_has_authorities(void) {
  CURL *handle = curl_easy_init();
  char *file = NULL;
  int has = handle && curl_easy_getinfo(handle, CURLINFO_CAINFO, &file) == CURLE_OK && file && access(file, R_OK) == 0;
  curl_easy_cleanup(handle);
  return has;
}

/* Milliseconds on a steady clock, for the timer below. */
static inline int64_t ccurl_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The state of a socket in one byte: is_ours for a connection that was opened here, rests while libcurl waits for nothing on it,
 * and the directions (CURL_POLL_IN, _OUT) for which it is in the epoll set. */
enum { ccurl_is_ours = 64, ccurl_rests = 128, ccurl_directions = CURL_POLL_INOUT };

/* The epoll set of libcurl's sockets. A connection that rests between two requests stays in the set, so that its next request
 * needs no call of epoll_ctl(2). Connections are opened and closed by the functions below, which keep the states correct: the
 * number of a closed socket may be reused. */
struct ccurl_sockets {
  int set;
  int count; /* of the states */
  unsigned char *states; /* by the socket's number */
};

static inline unsigned char *ccurl_state(struct ccurl_sockets *sockets, int socket) {
  if (socket >= sockets->count) {
    int count = socket / 64 * 64 + 64;
    unsigned char *states = realloc(sockets->states, (size_t)count);
    if (!states) return NULL;
    memset(states + sockets->count, 0, (size_t)(count - sockets->count));
    sockets->states = states;
    sockets->count = count;
  }
  return sockets->states + socket;
}

static inline int ccurl_watch(struct ccurl_sockets *sockets, int operation, int socket, int directions) {
  struct epoll_event event = {0};
  event.data.fd = socket;
  event.events = (directions & CURL_POLL_IN ? EPOLLIN : 0) | (directions & CURL_POLL_OUT ? EPOLLOUT : 0);
  return epoll_ctl(sockets->set, operation, socket, &event);
}

/* libcurl calls this to say which events of a socket it waits for. */
static int ccurl_socket_wanted(CURL *handle, curl_socket_t socket, int what, void *context, void *unused) {
  struct ccurl_sockets *sockets = context;
  unsigned char *state = ccurl_state(sockets, socket);
  (void)handle;
  (void)unused;
  if (!state) return -1;
  if (what == CURL_POLL_REMOVE) {
    if (*state & ccurl_is_ours) {
      *state |= ccurl_rests;
    } else {
      ccurl_watch(sockets, EPOLL_CTL_DEL, socket, 0);
    }
    return 0;
  }
  if ((*state & ccurl_is_ours) && (*state & ccurl_directions) == what) {
    *state &= (unsigned char)~ccurl_rests;
    return 0;
  }
  if (ccurl_watch(sockets, EPOLL_CTL_ADD, socket, what) != 0 &&
      (errno != EEXIST || ccurl_watch(sockets, EPOLL_CTL_MOD, socket, what) != 0))
    return -1;
  if (*state & ccurl_is_ours) *state = (unsigned char)(ccurl_is_ours | what);
  return 0;
}

/* Opens the socket of a connection, for libcurl. */
static curl_socket_t ccurl_open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  int opened = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  unsigned char *state = opened < 0 ? NULL : ccurl_state(context, opened);
  (void)purpose;
  if (state) *state = ccurl_is_ours;
  return opened < 0 ? CURL_SOCKET_BAD : opened;
}

/* Closes such a socket. It is removed from the epoll set explicitly, because a program that is just being started may have a copy
 * of the descriptor, which would keep it there. */
static int ccurl_close_socket(void *context, curl_socket_t socket) {
  struct ccurl_sockets *sockets = context;
  unsigned char *state = ccurl_state(sockets, socket);
  if (state) {
    if (*state & ccurl_directions) ccurl_watch(sockets, EPOLL_CTL_DEL, socket, 0);
    *state = 0;
  }
  return close(socket);
}

static inline CURLcode ccurl_set_sockets(CURL *handle, struct ccurl_sockets *sockets) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, ccurl_open_socket);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, sockets);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, ccurl_close_socket);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, sockets);
  return code;
}

/* libcurl calls this to say when it wants to be called. The time is stored on the clock of ccurl_milliseconds; -1 for never. */
static int ccurl_timer_wanted(CURLM *handle, long milliseconds, void *context) {
  (void)handle;
  *(int64_t *)context = milliseconds < 0 ? -1 : ccurl_milliseconds() + milliseconds;
  return 0;
}

static inline CURLMcode ccurl_multi_listen(CURLM *handle, struct ccurl_sockets *sockets, int64_t *deadline) {
  CURLMcode code = curl_multi_setopt(handle, CURLMOPT_SOCKETFUNCTION, ccurl_socket_wanted);
  if (code == CURLM_OK) code = curl_multi_setopt(handle, CURLMOPT_SOCKETDATA, sockets);
  if (code == CURLM_OK) code = curl_multi_setopt(handle, CURLMOPT_TIMERFUNCTION, ccurl_timer_wanted);
  if (code == CURLM_OK) code = curl_multi_setopt(handle, CURLMOPT_TIMERDATA, deadline);
  return code;
}

/* epoll(7) is not in Glibc's module map. */
static inline int ccurl_epoll(void) { return epoll_create1(EPOLL_CLOEXEC); }

static inline int ccurl_epoll_add(int set, int descriptor) {
  struct epoll_event event = {0};
  event.events = EPOLLIN;
  event.data.fd = descriptor;
  return epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event);
}

/* CURL_SOCKET_TIMEOUT is a macro with a cast, which Swift does not import. */
static const curl_socket_t ccurl_no_socket = CURL_SOCKET_TIMEOUT;

struct ccurl_ready {
  int descriptor;
  int events; /* of CURL_CSELECT_IN, _OUT and _ERR */
};

/* Returns 1 if libcurl waits for no events of a socket: its connection rests, or its transfer is paused. */
static inline int ccurl_is_resting(struct ccurl_sockets *sockets, int socket) {
  unsigned char *state = ccurl_state(sockets, socket);
  return state && *state & ccurl_rests;
}

/* Removes a resting socket from the epoll set. The event means that its server has closed the connection, which libcurl detects before it
 * reuses it, or has sent bytes that nobody asked for. libcurl before 8.1 would take those for the next request's answer. So such a
 * connection is ended here (ends: 1), unless the bytes may be for a paused transfer. */
static inline void ccurl_forget(struct ccurl_sockets *sockets, int socket, int ends) {
  ccurl_watch(sockets, EPOLL_CTL_DEL, socket, 0);
  *ccurl_state(sockets, socket) = ccurl_is_ours;
  char dropped[4096];
  if (!ends || recv(socket, dropped, sizeof dropped, MSG_DONTWAIT) <= 0) return;
  shutdown(socket, SHUT_RDWR);
  while (recv(socket, dropped, sizeof dropped, MSG_DONTWAIT) > 0) continue;
}

/* Waits until sockets are ready. Returns their number, at most 64; 0 after the time limit; -1 with errno. */
static inline int ccurl_epoll_wait(struct ccurl_sockets *sockets, struct ccurl_ready *ready, int milliseconds) {
  struct epoll_event events[64];
  int count = epoll_wait(sockets->set, events, 64, milliseconds);
  for (int i = 0; i < count; i++) {
    ready[i].descriptor = events[i].data.fd;
    ready[i].events = (events[i].events & EPOLLIN ? CURL_CSELECT_IN : 0) |
                      (events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                      (events[i].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
  }
  return count;
}

#endif
