/* Preloaded, gives a process a wall clock that a test can set while it runs: the file named by WALL_CLOCK holds the
   difference to the machine's in seconds, as a 64-bit integer. Times of files and waits stay real.

   libfaketime does more, and too much: it moves the environment, behind which Swift then no longer finds the program's
   arguments. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *difference;

__attribute__((constructor)) static void find(void) {
  const char *path = getenv("WALL_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file == -1) return;
  void *map = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (map != MAP_FAILED) difference = map;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && difference && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    time->tv_sec += *difference;
  return result;
}

int gettimeofday(struct timeval *time, void *zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *seconds) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (seconds) *seconds = now.tv_sec;
  return now.tv_sec;
}

/* A wait until a time of day, which lasts longer when the clock is set back meanwhile. */
int sem_timedwait(sem_t *semaphore, const struct timespec *until) {
  for (;;) {
    if (sem_trywait(semaphore) == 0) return 0;
    struct timespec now, moment = {.tv_nsec = 500000};
    clock_gettime(CLOCK_REALTIME, &now);
    if (now.tv_sec > until->tv_sec || (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec)) {
      errno = ETIMEDOUT;
      return -1;
    }
    nanosleep(&moment, NULL);
  }
}
