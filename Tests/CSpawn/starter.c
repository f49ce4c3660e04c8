#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// What the starter says on a life: once of the start (an error number and the process), once of the end (whether it was
// a signal, and the status).
struct word {
  int32_t first;
  int32_t second;
};

static int channel = -1;
static pid_t starter = -1;

// MARK: The starter's side

struct child {
  pid_t pid;
  // -1 where the test has let go of it.
  int life;
  int has_ended;
};

static struct child *children;
static size_t child_count;

static void say(int life, int32_t first, int32_t second) {
  struct word word = {first, second};
  // Ignored: nobody reads it any more, which the next look at the life shows.
  (void)send(life, &word, sizeof word, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// The strings of a request: input, output, errors, then words, and variables of the environment, both with an empty
// string at their end.
static int start(char *text, const char *end, int input, pid_t *pid) {
  size_t count = 0;
  for (const char *byte = text; byte < end; byte++) count += *byte == 0;
  char **strings = calloc(count + 1, sizeof *strings);
  if (strings == NULL) return ENOMEM;
  for (size_t index = 0; index < count; index++, text += strlen(text) + 1) strings[index] = text;
  char **words = strings + 3, **environment = words;
  // An argument may be empty, so each stands behind a letter.
  while (**environment) (*environment++)++;
  *environment++ = NULL;
  char **variable = environment;
  while (**variable) (*variable++)++;
  *variable = NULL;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  int error = input >= 0 ? posix_spawn_file_actions_adddup2(&actions, input, 0)
                         : posix_spawn_file_actions_addopen(&actions, 0, strings[0], O_RDONLY, 0);
  for (int index = 1; index <= 2 && error == 0; index++)
    error = posix_spawn_file_actions_addopen(&actions, index, strings[index], O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  if (error == 0) error = words[0] == NULL ? EINVAL : posix_spawnp(pid, words[0], &actions, &attributes, words, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  free(strings);
  return error;
}

static void end_all(void) {
  // The test program is gone, and nobody else would end them.
  for (size_t index = 0; index < child_count; index++) kill(-children[index].pid, SIGKILL);
  _exit(0);
}

static void take_request(void) {
  union {
    char bytes[CMSG_SPACE(3 * sizeof(int))];
    struct cmsghdr align;
  } control;
  char byte;
  struct iovec piece = {&byte, 1};
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t count = recvmsg(channel, &message, MSG_CMSG_CLOEXEC);
  if (count < 0 && errno == EINTR) return;
  if (count <= 0) end_all();
  int descriptors[3] = {-1, -1, -1};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header != NULL) memcpy(descriptors, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
  int life = descriptors[0], request = descriptors[1], input = descriptors[2];
  pid_t pid = -1;
  int error = ENOMEM;
  off_t size = lseek(request, 0, SEEK_END);
  struct child *more = realloc(children, (child_count + 1) * sizeof *children);
  if (more != NULL) children = more;
  char *text = size > 0 ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, request, 0) : MAP_FAILED;
  if (text != MAP_FAILED) {
    if (more != NULL) error = start(text, text + size, input, &pid);
    munmap(text, size);
  }
  close(request);
  if (input >= 0) close(input);
  say(life, error, pid);
  if (error == 0) {
    children[child_count++] = (struct child){pid, life, 0};
  } else {
    close(life);
  }
}

static void look_for_ends(void) {
  for (size_t index = 0; index < child_count; index++) {
    struct child *child = &children[index];
    siginfo_t information = {0};
    if (child->has_ended || waitid(P_PID, child->pid, &information, WEXITED | WNOHANG | WNOWAIT) != 0) continue;
    if (information.si_pid != child->pid) continue;
    child->has_ended = 1;
    if (child->life >= 0) say(child->life, information.si_code != CLD_EXITED, information.si_status);
  }
}

static void let_go(size_t index) {
  if (children[index].life >= 0) close(children[index].life);
  children[index] = children[--child_count];
}

static void work(void) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGCHLD);
  sigprocmask(SIG_SETMASK, &ends, NULL);
  // What ends the test program from a terminal leaves the starter to end the rest.
  const int ignored[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE};
  for (size_t index = 0; index < sizeof ignored / sizeof *ignored; index++) signal(ignored[index], SIG_IGN);
  signal(SIGCHLD, SIG_DFL);
  prctl(PR_SET_NAME, "process-starter");
  int ended = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
  if (ended < 0) _exit(1);
  for (;;) {
    size_t watched = child_count;
    struct pollfd *polls = calloc(watched + 2, sizeof *polls);
    if (polls == NULL) _exit(1);
    polls[0] = (struct pollfd){channel, POLLIN, 0};
    polls[1] = (struct pollfd){ended, POLLIN, 0};
    for (size_t index = 0; index < watched; index++) polls[index + 2] = (struct pollfd){children[index].life, POLLIN, 0};
    if (poll(polls, watched + 2, -1) < 0 && errno != EINTR) _exit(1);
    // From the last one on: one that goes leaves its place to the last.
    for (size_t index = watched; index-- > 0;) {
      struct child *child = &children[index];
      if (polls[index + 2].revents == 0) continue;
      // The test has heard of the end, or is gone.
      if (child->has_ended) {
        waitpid(child->pid, NULL, 0);
        let_go(index);
      } else {
        close(child->life);
        child->life = -1;
      }
    }
    if (polls[1].revents) {
      struct signalfd_siginfo information;
      while (read(ended, &information, sizeof information) > 0) {}
      look_for_ends();
      for (size_t index = child_count; index-- > 0;) {
        if (!children[index].has_ended || children[index].life >= 0) continue;
        waitpid(children[index].pid, NULL, 0);
        let_go(index);
      }
    }
    if (polls[0].revents) take_request();
    free(polls);
  }
}

// Before main there is one thread, and no descriptor of a test.
__attribute__((constructor)) static void begin(void) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
  pid_t pid = fork();
  if (pid == 0) {
    // An exit test has pipes to the test program, which reads them to their end.
    int null = open("/dev/null", O_RDWR);
    for (int descriptor = 0; descriptor <= 2; descriptor++) dup2(null, descriptor);
    channel = dup3(ends[1], 3, O_CLOEXEC) == 3 || ends[1] == 3 ? 3 : -1;
    if (ends[1] == 3) fcntl(3, F_SETFD, FD_CLOEXEC);
    close_range(4, ~0U, 0);
    if (channel != 3) _exit(1);
    work();
  }
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
  } else {
    channel = ends[0];
    starter = pid;
  }
}

// MARK: The test program's side

pid_t cspawn_starter(void) { return starter; }

static int write_all(int descriptor, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t written = write(descriptor, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes += written;
    count -= written;
  }
  return 0;
}

static int write_strings(int descriptor, char *const strings[]) {
  int error = 0;
  for (; *strings != NULL && error == 0; strings++) {
    error = write_all(descriptor, "+", 1);
    if (error == 0) error = write_all(descriptor, *strings, strlen(*strings) + 1);
  }
  return error != 0 ? error : write_all(descriptor, "", 1);
}

static int hear(int life, struct word *word) {
  ssize_t count;
  do count = recv(life, word, sizeof *word, 0);
  while (count < 0 && errno == EINTR);
  return count == sizeof *word ? 0 : count < 0 ? errno : ECONNRESET;
}

static int send_request(int life, int request, int input) {
  union {
    char bytes[CMSG_SPACE(3 * sizeof(int))];
    struct cmsghdr align;
  } control = {{0}};
  int descriptors[3] = {life, request, input};
  size_t size = (input >= 0 ? 3 : 2) * sizeof(int);
  char byte = 0;
  struct iovec piece = {&byte, 1};
  struct msghdr message = {
    .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_SPACE(size)};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(size);
  memcpy(CMSG_DATA(header), descriptors, size);
  ssize_t count;
  do count = sendmsg(channel, &message, MSG_NOSIGNAL);
  while (count < 0 && errno == EINTR);
  return count < 0 ? errno : 0;
}

int cspawn_start(
  char *const words[], char *const environment[], int input, const char *input_path, const char *output,
  const char *errors, pid_t *pid, int *life) {
  if (channel < 0) return ENOTCONN;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return errno;
  int request = memfd_create("request", MFD_CLOEXEC);
  int error = request < 0 ? errno : 0;
  const char *const paths[] = {input_path, output, errors};
  for (int index = 0; index < 3 && error == 0; index++) error = write_all(request, paths[index], strlen(paths[index]) + 1);
  if (error == 0) error = write_strings(request, words);
  if (error == 0) error = write_strings(request, environment);
  if (error == 0) error = send_request(ends[1], request, input);
  close(ends[1]);
  if (request >= 0) close(request);
  struct word word;
  if (error == 0) error = hear(ends[0], &word);
  if (error == 0) error = word.first;
  if (error != 0) {
    close(ends[0]);
    return error;
  }
  *pid = word.second;
  *life = ends[0];
  return 0;
}

int cspawn_wait(int life, int *is_signal, int *status) {
  struct word word;
  int error = hear(life, &word);
  if (error != 0) return error;
  *is_signal = word.first;
  *status = word.second;
  return 0;
}

void cspawn_reap(int life) {
  struct word word;
  // The starter closes its end once the zombie is gone.
  if (send(life, "", 1, MSG_NOSIGNAL) == 1) (void)hear(life, &word);
  close(life);
}
