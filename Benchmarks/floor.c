// The floor: the whole job of a file of up to 1 MiB in C, on the libraries that Waybill stands on, and nothing else.
//
// Claims by rename and fsync, reads, hashes and signs, PUTs and POSTs by libcurl's multi interface on handles and connections
// that are used again, writes a row and an event for each of the three facts into SQLite with commits that are shared and synced,
// and unlinks. One thread, no failures, no retries, no gates, no journal: much less than this cannot be had with these.
//
//   floor ENDPOINT FOLDER FILES sha256|none     (FOLDER/spool/0 … FILES-1, FOLDER/claimed, FOLDER/ledger.sqlite)
//
// With "none" the body is neither signed nor summed up: the bound of any checksum.
#define _GNU_SOURCE
#include <curl/curl.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { slots = 32, most = 1 << 20 };
enum step { idle, uploading, uploaded, registering, registered };

struct job {
  CURL *put, *post;
  struct curl_slist *headers;
  enum step step;
  int number;
  char name[64], body[most], text[512];
};

static const char *endpoint;
static int spool, claimed, epoll, files, next_file, done, hashes;
static long timeout = -1;
static CURLM *multi;
static sqlite3 *db;
static sqlite3_stmt *insert, *update, *event, *begin, *commit;
static unsigned char signing_key[32];
static char host[256];

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void run(sqlite3_stmt *statement) {
  if (sqlite3_step(statement) != SQLITE_DONE) {
    fprintf(stderr, "%s\n", sqlite3_errmsg(db));
    exit(1);
  }
  sqlite3_reset(statement);
}

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK) {
    fprintf(stderr, "%s\n", sqlite3_errmsg(db));
    exit(1);
  }
  return statement;
}

static void record(struct job *job, const char *state) {
  if (job->step == uploading) {
    sqlite3_bind_int(insert, 1, job->number);
    sqlite3_bind_text(insert, 2, job->name, -1, SQLITE_STATIC);
    run(insert);
  } else {
    sqlite3_bind_text(update, 1, state, -1, SQLITE_STATIC);
    sqlite3_bind_text(update, 2, job->text, -1, SQLITE_STATIC);
    sqlite3_bind_int(update, 3, job->number);
    run(update);
  }
  sqlite3_bind_int(event, 1, job->number);
  sqlite3_bind_text(event, 2, state, -1, SQLITE_STATIC);
  sqlite3_bind_int64(event, 3, time(NULL));
  run(event);
}

static void hex(const unsigned char *bytes, char *text) {
  for (int i = 0; i < 32; i++) sprintf(text + 2 * i, "%02x", bytes[i]);
}

static void hash(const void *bytes, size_t size, char *text) {
  unsigned char digest[32];
  EVP_Digest(bytes, size, digest, NULL, EVP_sha256(), NULL);
  hex(digest, text);
}

static void hmac(const void *key, int size, const char *text, unsigned char *digest) {
  HMAC(EVP_sha256(), key, size, (const unsigned char *)text, strlen(text), digest, NULL);
}

// SigV4 as S3's documentation has it; the key of the day is kept.
static void sign(struct job *job, size_t size) {
  char sum[65], canonical[1024], canonical_sum[65], to_sign[512], signature[65], stamp[32], line[1024];
  unsigned char digest[32];
  time_t now = time(NULL);
  strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", gmtime(&now));
  if (hashes) hash(job->body, size, sum);
  else strcpy(sum, "UNSIGNED-PAYLOAD");
  snprintf(canonical, sizeof canonical,
           "PUT\n/documents/%s\n\nhost:%s\nx-amz-content-sha256:%s\nx-amz-date:%s\n\nhost;x-amz-content-sha256;x-amz-date\n%s",
           job->name, host, sum, stamp, sum);
  hash(canonical, strlen(canonical), canonical_sum);
  snprintf(to_sign, sizeof to_sign, "AWS4-HMAC-SHA256\n%s\n%.8s/us-east-1/s3/aws4_request\n%s", stamp, stamp, canonical_sum);
  hmac(signing_key, 32, to_sign, digest);
  hex(digest, signature);
  curl_slist_free_all(job->headers);
  snprintf(line, sizeof line,
           "Authorization: AWS4-HMAC-SHA256 Credential=BENCHKEY/%.8s/us-east-1/s3/aws4_request, "
           "SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=%s", stamp, signature);
  job->headers = curl_slist_append(NULL, line);
  snprintf(line, sizeof line, "x-amz-content-sha256: %s", sum);
  job->headers = curl_slist_append(job->headers, line);
  snprintf(line, sizeof line, "x-amz-date: %s", stamp);
  job->headers = curl_slist_append(job->headers, line);
}

static size_t drop(char *bytes, size_t size, size_t count, void *context) {
  (void)bytes, (void)context;
  return size * count;
}

static void upload(struct job *job) {
  char url[512];
  int file = openat(claimed, job->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  struct stat facts;
  if (file < 0 || fstat(file, &facts)) fail("open");
  ssize_t size = read(file, job->body, most);
  if (size != facts.st_size) fail("read");
  close(file);
  sign(job, size);
  snprintf(url, sizeof url, "%s/documents/%s", endpoint, job->name);
  curl_easy_setopt(job->put, CURLOPT_URL, url);
  curl_easy_setopt(job->put, CURLOPT_POSTFIELDSIZE, (long)size);
  curl_easy_setopt(job->put, CURLOPT_POSTFIELDS, job->body);
  curl_easy_setopt(job->put, CURLOPT_HTTPHEADER, job->headers);
  curl_multi_add_handle(multi, job->put);
}

static void enroll(struct job *job) {
  snprintf(job->text, sizeof job->text, "{\"id\":\"%s\",\"name\":\"%s\",\"link\":\"%s/documents/%s\"}", job->name, job->name, endpoint,
           job->name);
  job->step = registering;
  curl_easy_setopt(job->post, CURLOPT_POSTFIELDSIZE, (long)strlen(job->text));
  curl_easy_setopt(job->post, CURLOPT_POSTFIELDS, job->text);
  curl_multi_add_handle(multi, job->post);
}

static int on_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *known) {
  (void)easy, (void)context;
  if (what == CURL_POLL_REMOVE) return epoll_ctl(epoll, EPOLL_CTL_DEL, socket, NULL), 0;
  struct epoll_event wanted = {.events = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0),
                               .data.fd = socket};
  epoll_ctl(epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &wanted);
  curl_multi_assign(multi, socket, &epoll);  // anything: that it is known
  return 0;
}

static int on_timer(CURLM *of, long milliseconds, void *context) {
  (void)of, (void)context;
  timeout = milliseconds;
  return 0;
}

static CURL *handle(struct job *job, const char *method) {
  CURL *easy = curl_easy_init();
  char url[300];
  snprintf(url, sizeof url, "%s/register", endpoint);
  curl_easy_setopt(easy, CURLOPT_URL, url);
  curl_easy_setopt(easy, CURLOPT_POST, 1L);
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop);
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, job);
  return easy;
}

// Claims files for the slots that are free; the renames share an fsync and a commit with what else has come to pass.
static int claim(struct job *jobs) {
  int count = 0;
  char from[32];
  for (struct job *job = jobs; job < jobs + slots; job++) {
    if (job->step != idle || next_file == files) continue;
    job->number = next_file + 1;
    snprintf(from, sizeof from, "%d", next_file++);
    snprintf(job->name, sizeof job->name, "01a20215-9c8b-7e93-b120-%012d", job->number);
    if (renameat2(spool, from, claimed, job->name, RENAME_NOREPLACE)) fail("rename");
    job->step = uploading;
    count++;
  }
  if (count && (fsync(claimed) || fsync(spool))) fail("fsync");
  return count;
}

static void settle(struct job *jobs) {
  int fresh = claim(jobs), changed = fresh;
  for (struct job *job = jobs; job < jobs + slots; job++) changed += job->step == uploaded || job->step == registered;
  if (!changed) return;
  run(begin);
  for (struct job *job = jobs; job < jobs + slots; job++) {
    if (job->step == uploaded) record(job, "uploaded");
    if (job->step == registered) record(job, "registered");
    if (job->step == uploading && fresh && !job->text[0]) record(job, "admitted");
  }
  run(commit);
  for (struct job *job = jobs; job < jobs + slots; job++) {
    if (job->step == uploading && !job->text[0]) {
      job->text[0] = ' ';
      upload(job);
    } else if (job->step == uploaded) {
      enroll(job);
    } else if (job->step == registered) {
      if (unlinkat(claimed, job->name, 0)) fail("unlink");
      job->step = idle;
      job->text[0] = 0;
      done++;
    }
  }
}

static void collect(void) {
  int left;
  for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
    struct job *job;
    long status = 0;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &job);
    curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
    if (message->data.result != CURLE_OK || status / 100 != 2) {
      fprintf(stderr, "%s: %ld %s\n", job->name, status, curl_easy_strerror(message->data.result));
      exit(1);
    }
    curl_multi_remove_handle(multi, message->easy_handle);
    job->step = job->step == uploading ? uploaded : registered;
  }
}

int main(int count, char **words) {
  if (count != 5) return fprintf(stderr, "floor ENDPOINT FOLDER FILES sha256|none\n"), 2;
  endpoint = words[1];
  files = atoi(words[3]);
  hashes = !strcmp(words[4], "sha256");
  snprintf(host, sizeof host, "%s", strstr(endpoint, "//") + 2);
  char path[512];
  snprintf(path, sizeof path, "%s/spool", words[2]);
  spool = open(path, O_RDONLY | O_DIRECTORY);
  snprintf(path, sizeof path, "%s/claimed", words[2]);
  claimed = open(path, O_RDONLY | O_DIRECTORY);
  if (spool < 0 || claimed < 0) fail(words[2]);
  snprintf(path, sizeof path, "%s/ledger.sqlite", words[2]);
  if (sqlite3_open(path, &db)) fail(path);
  sqlite3_exec(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                   "CREATE TABLE job (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, state TEXT NOT NULL, text TEXT);"
                   "CREATE TABLE event (sequence INTEGER PRIMARY KEY, job INTEGER, kind TEXT, at INTEGER)", NULL, NULL, NULL);
  insert = prepare("INSERT INTO job VALUES (?, ?, 'admitted', NULL)");
  update = prepare("UPDATE job SET state = ?, text = ? WHERE number = ?");
  event = prepare("INSERT INTO event (job, kind, at) VALUES (?, ?, ?)");
  begin = prepare("BEGIN IMMEDIATE");
  commit = prepare("COMMIT");
  char day[16];
  time_t now = time(NULL);
  strftime(day, sizeof day, "%Y%m%d", gmtime(&now));
  hmac("AWS4benchsecret", 15, day, signing_key);
  hmac(signing_key, 32, "us-east-1", signing_key);
  hmac(signing_key, 32, "s3", signing_key);
  hmac(signing_key, 32, "aws4_request", signing_key);

  curl_global_init(CURL_GLOBAL_DEFAULT);
  multi = curl_multi_init();
  epoll = epoll_create1(0);
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)slots);
  static struct job jobs[slots];
  struct curl_slist *type = curl_slist_append(NULL, "Content-Type: application/json");
  for (struct job *job = jobs; job < jobs + slots; job++) {
    job->put = handle(job, "PUT");
    job->post = handle(job, "POST");
    curl_easy_setopt(job->post, CURLOPT_HTTPHEADER, type);
  }

  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  while (done < files) {
    settle(jobs);
    int running;
    struct epoll_event ready[slots];
    if (timeout == 0) curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
    int heard = epoll_wait(epoll, ready, slots, timeout < 0 ? 1000 : (int)timeout);
    for (int i = 0; i < heard; i++) {
      int what = (ready[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR) ? CURL_CSELECT_IN : 0) |
                 (ready[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0);
      curl_multi_socket_action(multi, ready[i].data.fd, what, &running);
    }
    if (!heard) curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
    collect();
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  double wall = end.tv_sec - start.tv_sec + (end.tv_nsec - start.tv_nsec) / 1e9;
  double cpu = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  printf("{\"files\": %d, \"wall\": %.3f, \"cpu\": %.3f}\n", files, wall, cpu);
  return 0;
}
