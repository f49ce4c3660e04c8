#ifndef WAYBILL_CCURL_SHIM_H
#define WAYBILL_CCURL_SHIM_H

/* The type checks are made for C callers of the variadic macros; the functions below have types of their own. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

/* Swift cannot call variadic C functions. libcurl's options come in a few argument types, so there is
 * one function for each type that is used. */

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

/* Of CURLOPT_PRIVATE, the callbacks' user pointers, CURLOPT_ERRORBUFFER and CURLOPT_COPYPOSTFIELDS. */
static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, const void *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_headers(CURL *handle, struct curl_slist *headers) {
  return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

/* Body, header and read callbacks share one shape. */
typedef size_t (*ccurl_data_function)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_data_function(CURL *handle, CURLoption option, ccurl_data_function function) {
  return curl_easy_setopt(handle, option, function);
}

typedef int (*ccurl_seek_function)(void *context, curl_off_t offset, int origin);

static inline CURLcode ccurl_set_seek_function(CURL *handle, ccurl_seek_function function) {
  return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, function);
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

/* eventfd(2) is not in Glibc's module map. */
static inline int ccurl_doorbell(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/* pthread_setname_np(3) is not there without _GNU_SOURCE, and prctl(2) is variadic. */
static inline int ccurl_name_thread(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }

#endif
