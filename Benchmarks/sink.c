/* The benchmarks' server: takes any PUT as an S3 object and any POST as a registration, answers and discards.
 *
 *   sink [-c CERTIFICATE -k KEY]     one thread; prints its address on the first line, and serves until it is ended
 *
 * GET /_count            {"requests":N,"connections":N} since the last look
 * GET /_registered       {"registered":N} since the start
 * GET /_latency/MS       each later answer waits so long
 * GET /_refuse, /_accept registrations are answered with 422, or taken again
 *
 * Bodies never reach this program: MSG_TRUNC has the kernel drop them (tcp(7)). It checks nothing; what an S3 client compares
 * (ETag with its Content-MD5, a checksum with its own) is echoed. Of the last objects it remembers size and waybill's id, as
 * HEAD is asked for them.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HEAD_LIMIT = 16384, ANSWER_LIMIT = 1024, CHUNK = 1 << 18, OBJECTS = 1024 };

/* The ETag of an object that came in parts. */
#define PARTS_TAG "0123456789abcdef0123456789abcdef-1"

struct object {
  char path[512], id[64];
  const char *tag;
  unsigned long long size;
};

struct connection {
  int fd;
  SSL *tls;                 /* NULL for plain HTTP */
  char head[HEAD_LIMIT + 1];
  size_t filled;            /* bytes of head that are there */
  unsigned long long left;  /* of a request's body */
  char answer[ANSWER_LIMIT];
  int length;               /* of the answer; 0 where none is due */
  double due;               /* when it goes out */
  struct connection *next;  /* in the row of answers that wait for their time */
  int waits;                /* whether it is in that row */
  int closed;
};

static double latency;
static int refuses;
static unsigned long long requests, connections, registered;
static struct connection *first, *last;
static int poller;
static struct object objects[OBJECTS]; /* the last ones, in turn */
static unsigned long long stored;
static SSL_CTX *context;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void end(struct connection *c) {
  c->closed = 1;
  if (c->fd >= 0) close(c->fd);
  c->fd = -1;
  if (c->waits) return; /* freed when its turn comes */
  SSL_free(c->tls);
  free(c);
}

/* Answers are a few hundred bytes on a connection whose buffer is empty: they fit, or the peer is gone. */
static int put(struct connection *c, const char *bytes, int count) {
  return c->tls ? SSL_write(c->tls, bytes, count) == count : send(c->fd, bytes, count, MSG_NOSIGNAL) == count;
}

/* What a header holds, up to the end of its line; NULL where there is none. Its name is given in lower case, with a colon. */
static const char *header(const char *head, const char *name) {
  size_t length = strlen(name);
  for (const char *line = strstr(head, "\r\n"); line && line[2] != '\r'; line = strstr(line + 2, "\r\n")) {
    if (strncasecmp(line + 2, name, length)) continue;
    const char *value = line + 2 + length;
    while (*value == ' ') value++;
    return value;
  }
  return NULL;
}

/* An ETag as S3 has it: the MD5 that the client sent, in hex, or any. */
static void etag(const char *head, char text[33]) {
  const char *md5 = header(head, "content-md5:");
  unsigned char bytes[24];
  if (!md5 || EVP_DecodeBlock(bytes, (const unsigned char *)md5, 24) < 16) {
    strcpy(text, "d41d8cd98f00b204e9800998ecf8427e");
    return;
  }
  for (int i = 0; i < 16; i++) sprintf(text + 2 * i, "%02x", bytes[i]);
}

static void answer(struct connection *c, const char *status, const char *headers, const char *body) {
  c->length = snprintf(c->answer, sizeof c->answer, "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n\r\n%s", status, headers,
                       strlen(body), body);
}

/* Copies a text up to one of the characters that end it. */
static void copy(char *to, size_t room, const char *from, const char *ends) {
  size_t length = from ? strcspn(from, ends) : 0;
  if (length >= room) length = room - 1;
  if (length) memcpy(to, from, length);
  to[length] = 0;
}

/* The newest object of a path, which ends with its query; NULL where it is not remembered. */
static struct object *object(const char *path) {
  size_t length = strcspn(path, " ?");
  for (unsigned long long i = stored; i > 0 && i + OBJECTS > stored; i--) {
    struct object *o = &objects[(i - 1) % OBJECTS];
    if (!strncmp(o->path, path, length) && !o->path[length]) return o;
  }
  return NULL;
}

/* Remembers the object of a PUT, or the upload in parts of a POST, which has no size yet. */
static void remember(const char *head, const char *path, int has_body) {
  const char *length = header(head, "content-length:");
  struct object *o = &objects[stored++ % OBJECTS];
  copy(o->path, sizeof o->path, path, " ?");
  copy(o->id, sizeof o->id, header(head, "x-amz-meta-waybill-id:"), "\r");
  o->size = has_body && length ? strtoull(length, NULL, 10) : 0;
  o->tag = has_body ? "d41d8cd98f00b204e9800998ecf8427e" : PARTS_TAG;
}

static void show(struct connection *c, const char *path) {
  const struct object *o = object(path);
  if (!o) return answer(c, "404 Not Found", "", "");
  c->length = snprintf(c->answer, sizeof c->answer,
                       "HTTP/1.1 200 OK\r\nETag: \"%s\"\r\nx-amz-meta-waybill-id: %s\r\nContent-Length: %llu\r\n\r\n", o->tag,
                       o->id, o->size);
}

static void control(struct connection *c, const char *path) {
  char body[128] = "";
  if (!strncmp(path, "/_latency/", 10)) latency = atof(path + 10) / 1000;
  if (!strncmp(path, "/_refuse ", 9)) refuses = 1;
  if (!strncmp(path, "/_accept ", 9)) refuses = 0;
  if (!strncmp(path, "/_count ", 8)) {
    snprintf(body, sizeof body, "{\"requests\":%llu,\"connections\":%llu}", requests, connections);
    requests = connections = 0;
  }
  if (!strncmp(path, "/_registered ", 13)) snprintf(body, sizeof body, "{\"registered\":%llu}", registered);
  answer(c, "200 OK", "", body);
  c->due = 0;
}

/* Chooses the answer to a head that is complete. */
static void choose(struct connection *c) {
  static const char upload[] = "<?xml version=\"1.0\"?><InitiateMultipartUploadResult><Bucket>documents</Bucket><Key>k</Key>"
                               "<UploadId>upload-1</UploadId></InitiateMultipartUploadResult>";
  static const char complete[] = "<?xml version=\"1.0\"?><CompleteMultipartUploadResult><Bucket>documents</Bucket>"
                                 "<Key>k</Key><ETag>\"" PARTS_TAG "\"</ETag>"
                                 "</CompleteMultipartUploadResult>";
  char *line = strstr(c->head, "\r\n");
  const char *path = strchr(c->head, ' ') + 1;
  c->due = latency > 0 ? now() + latency : 0;
  if (!strncmp(path, "/_", 2)) return control(c, path);
  requests++;
  *line = 0;
  int starts = strstr(path, "?uploads") != NULL, parts = strstr(path, "uploadId=") != NULL;
  int is_part = strstr(path, "partNumber=") != NULL;
  int registers = !strncmp(path, "/register", 9);
  *line = '\r';
  switch (c->head[0] == 'P' ? c->head[1] : c->head[0]) {
  case 'U': { /* PUT: an object or a part */
    char tag[33], headers[256];
    etag(c->head, tag);
    struct object *whole = is_part ? object(path) : NULL;
    const char *bytes = header(c->head, "content-length:");
    if (whole && bytes) whole->size += strtoull(bytes, NULL, 10);
    if (!is_part) remember(c->head, path, 1);
    int length = snprintf(headers, sizeof headers, "ETag: \"%s\"\r\n", tag);
    static const char *const checksums[] = {"x-amz-checksum-crc32c:", "x-amz-checksum-crc64nvme:", "x-amz-checksum-sha256:"};
    for (int i = 0; i < 3; i++) {
      const char *sum = header(c->head, checksums[i]);
      if (sum) length += snprintf(headers + length, sizeof headers - length, "%s %.*s\r\n", checksums[i],
                                  (int)strcspn(sum, "\r"), sum);
    }
    return answer(c, "200 OK", headers, "");
  }
  case 'O': /* POST: a registration, or the start or the end of an upload in parts */
    if (registers && refuses)
      return answer(c, "422 Unprocessable Content", "Content-Type: application/json\r\n",
                    "{\"error\":\"invoice number is taken\"}");
    if (registers) registered++;
    if (registers) return answer(c, "201 Created", "Location: /registrations/1\r\n", "{}");
    if (starts) remember(c->head, path, 0);
    if (starts) return answer(c, "200 OK", "Content-Type: application/xml\r\n", upload);
    if (parts) return answer(c, "200 OK", "Content-Type: application/xml\r\n", complete);
    return answer(c, "400 Bad Request", "", "");
  case 'H': return show(c, path);
  case 'D': return answer(c, "204 No Content", "", "");
  default: return answer(c, "404 Not Found", "Content-Type: application/xml\r\n", "<Error><Code>NoSuchKey</Code></Error>");
  }
}

/* Sends the answer, or puts it into the row; 0 where the connection is gone. */
static int reply(struct connection *c) {
  if (c->due == 0) {
    int sent = put(c, c->answer, c->length);
    c->length = 0;
    return sent;
  }
  c->waits = 1;
  c->next = NULL;
  if (first) last->next = c; else first = c;
  last = c;
  return 1;
}

static ssize_t take(struct connection *c, void *buffer, size_t count, int discards) {
  if (!c->tls) return recv(c->fd, buffer, count, discards ? MSG_TRUNC : 0);
  int got = SSL_read(c->tls, buffer, count > CHUNK ? CHUNK : (int)count);
  if (got > 0) return got;
  int reason = SSL_get_error(c->tls, got);
  errno = reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE ? EAGAIN : EPIPE;
  return reason == SSL_ERROR_ZERO_RETURN ? 0 : -1;
}

/* Takes what has come; 0 where the connection is gone. */
static int serve(struct connection *c) {
  static char waste[CHUNK];
  for (;;) {
    if (c->length) return 1; /* the next request waits for the answer to this one */
    if (c->left) {
      ssize_t got = take(c, waste, c->left < CHUNK ? c->left : CHUNK, 1);
      if (got <= 0) return got < 0 && errno == EAGAIN;
      c->left -= got;
      if (c->left) continue;
      choose(c);
      c->filled = 0;
      if (!reply(c)) return 0;
      continue;
    }
    ssize_t got = take(c, c->head + c->filled, HEAD_LIMIT - c->filled, 0);
    if (got <= 0) return got < 0 && errno == EAGAIN;
    c->filled += got;
    c->head[c->filled] = 0;
    char *close = strstr(c->head, "\r\n\r\n");
    if (!close) {
      if (c->filled == HEAD_LIMIT) return 0;
      continue;
    }
    size_t over = c->filled - (close + 4 - c->head);
    const char *length = header(c->head, "content-length:"), *expect = header(c->head, "expect:");
    c->left = length ? strtoull(length, NULL, 10) : 0;
    if (over > c->left) return 0; /* no client here sends a request before it has its answer */
    c->left -= over;
    close[4] = 0;
    if (expect && c->left && !put(c, "HTTP/1.1 100 Continue\r\n\r\n", 25)) return 0;
    if (c->left) continue;
    choose(c);
    c->filled = 0;
    if (!reply(c)) return 0;
  }
}

static void accept_all(int listener) {
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    connections++;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    struct connection *c = calloc(1, sizeof *c);
    if (!c) err(1, "memory");
    c->fd = fd;
    if (context) {
      c->tls = SSL_new(context);
      SSL_set_fd(c->tls, fd);
      SSL_set_accept_state(c->tls);
    }
    struct epoll_event event = {.events = EPOLLIN | EPOLLET | EPOLLRDHUP, .data.ptr = c};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event)) err(1, "epoll_ctl");
  }
}

/* Sends the answers whose time has come; the time until the next, NULL for none. */
static const struct timespec *release(void) {
  static struct timespec pause;
  while (first) {
    double wait = first->due - now();
    if (wait > 0) {
      pause = (struct timespec){.tv_sec = (time_t)wait, .tv_nsec = (long)((wait - (time_t)wait) * 1e9)};
      return &pause;
    }
    struct connection *c = first;
    first = c->next;
    c->waits = 0;
    c->due = 0;
    if (c->closed || !reply(c) || !serve(c)) end(c);
  }
  return NULL;
}

int main(int count, char **words) {
  const char *certificate = NULL, *key = NULL;
  for (int option; (option = getopt(count, words, "c:k:")) != -1;) {
    if (option == 'c') certificate = optarg;
    else if (option == 'k') key = optarg;
    else errx(2, "usage: sink [-c CERTIFICATE -k KEY]");
  }
  if (certificate) {
    context = SSL_CTX_new(TLS_server_method());
    if (SSL_CTX_use_certificate_chain_file(context, certificate) != 1 ||
        SSL_CTX_use_PrivateKey_file(context, key ? key : certificate, SSL_FILETYPE_PEM) != 1)
      errx(1, "%s: %s", certificate, ERR_error_string(ERR_get_error(), NULL));
  }
  signal(SIGPIPE, SIG_IGN);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  poller = epoll_create1(EPOLL_CLOEXEC);
  if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 4096) ||
      getsockname(listener, (struct sockaddr *)&address, &size))
    err(1, "listen");
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
  epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
  printf("%s://127.0.0.1:%d\n", context ? "https" : "http", ntohs(address.sin_port));
  fflush(stdout);
  for (;;) {
    struct epoll_event events[256];
    int ready = epoll_pwait2(poller, events, 256, release(), NULL);
    for (int i = 0; i < ready; i++) {
      struct connection *c = events[i].data.ptr;
      if (!c) accept_all(listener);
      else if (!serve(c)) end(c);
    }
  }
}
