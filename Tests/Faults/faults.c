// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CairnFaults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static struct cairn_faults *page;
static long (*real_syscall)(long, ...);

// Every call of ours goes to the kernel by the C library's own syscall(2), which this file hides.
#define CALL(...) \
  (real_syscall ? real_syscall : (real_syscall = dlsym(RTLD_NEXT, "syscall")))(__VA_ARGS__)

__attribute__((constructor)) static void begin(void) {
  const char *name = getenv("CAIRN_FAULTS");
  char program[PATH_MAX];
  ssize_t length = CALL(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", program, sizeof program - 1);
  if (!name || length < 0) return;
  program[length] = 0;
  const char *last = strrchr(program, '/');
  const char *wanted = getenv("CAIRN_FAULTS_IN");
  if (!last || strcmp(last + 1, wanted ? wanted : "cairnd") != 0) return;
  int file = (int)CALL(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC, 0);
  if (file < 0) return;
  void *start = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  CALL(SYS_close, file);
  if (start != MAP_FAILED) page = start;
}

// MARK: Selecting the call

/// The absolute path of a name, as far as its directory's descriptor shows it.
static void find(int directory, const char *name, char path[PATH_MAX]) {
  path[0] = 0;
  if (!name || name[0] != '/') {
    char link[40];
    snprintf(link, sizeof link, directory == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d",
             directory);
    ssize_t length = CALL(SYS_readlinkat, AT_FDCWD, link, path, (size_t)PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
  }
  if (!name || !name[0]) return;
  size_t used = strlen(path);
  snprintf(path + used, PATH_MAX - used, used ? "/%s" : "%s", name);
}

static bool ends(const char *path, const char *suffix) {
  size_t length = strlen(path), rest = strlen(suffix);
  return length >= rest && strcmp(path + length - rest, suffix) == 0;
}

/// Returns true if calls on a file count: files of a mirror, the container, the index or the keys.
/// The log, the socket and the lock don't count.
static bool matters(const char *path) {
  size_t length = strlen(page->folder);
  if (length == 0 || strncmp(path, page->folder, length) != 0) return false;
  return !ends(path, ".log") && !ends(path, ".sock") && !ends(path, ".lock");
}

/// Counts a call. Returns -1 with errno if the call fails, and 0 if it proceeds.
static int turn(int kind, const char *call, int directory, const char *name, bool anywhere) {
  if (!page || !(page->kinds & (kind | CAIRN_FAULT_INDEX))) return 0;
  char path[PATH_MAX];
  int before = errno;
  find(directory, name, path);
  errno = before;
  if (!anywhere && !matters(path)) return 0;
  if (kind != CAIRN_FAULT_OPEN && strstr(path, ".sqlite")) kind = CAIRN_FAULT_INDEX;
  if (!(page->kinds & kind)) return 0;
  int64_t number = __atomic_add_fetch(&page->count, 1, __ATOMIC_SEQ_CST);
  if (number < page->nth || number - page->nth > page->more || page->act == 0) return 0;
  snprintf(page->call, sizeof page->call, "%s", call);
  snprintf(page->path, sizeof page->path, "%s", path);
  page->fired = (int64_t)CALL(SYS_getpid);
  if (page->act < 0) CALL(SYS_kill, (pid_t)page->fired, SIGKILL);
  errno = (int)page->act;
  return -1;
}

#define TURN_AT(kind, directory, name) \
  if (turn(CAIRN_FAULT_##kind, __func__, directory, name, false) < 0) return -1
#define TURN_ON(kind, file) TURN_AT(kind, file, NULL)
#define TURN_ANYWHERE() \
  if (turn(CAIRN_FAULT_OPEN, __func__, -1, NULL, true) < 0) return -1

// MARK: Writing

ssize_t write(int file, const void *bytes, size_t count) {
  TURN_ON(WRITE, file);
  return CALL(SYS_write, file, bytes, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  TURN_ON(WRITE, file);
  return CALL(SYS_pwrite64, file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  TURN_ON(WRITE, file);
  return CALL(SYS_pwrite64, file, bytes, count, offset);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  TURN_ON(WRITE, file);
  return CALL(SYS_writev, file, parts, count);
}

int fsync(int file) {
  TURN_ON(SYNC, file);
  return (int)CALL(SYS_fsync, file);
}

int fdatasync(int file) {
  TURN_ON(SYNC, file);
  return (int)CALL(SYS_fdatasync, file);
}

int syncfs(int file) {
  TURN_ON(SYNC, file);
  return (int)CALL(SYS_syncfs, file);
}

int ftruncate(int file, off_t length) {
  TURN_ON(SIZE, file);
  return (int)CALL(SYS_ftruncate, file, length);
}

int ftruncate64(int file, off64_t length) {
  TURN_ON(SIZE, file);
  return (int)CALL(SYS_ftruncate, file, length);
}

int fallocate(int file, int mode, off_t offset, off_t length) {
  TURN_ON(SIZE, file);
  return (int)CALL(SYS_fallocate, file, mode, offset, length);
}

int fallocate64(int file, int mode, off64_t offset, off64_t length) {
  TURN_ON(SIZE, file);
  return (int)CALL(SYS_fallocate, file, mode, offset, length);
}

// MARK: Names

int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
  TURN_AT(RENAME, to, new);
  return (int)CALL(SYS_renameat2, from, old, to, new, flags);
}

int renameat(int from, const char *old, int to, const char *new) {
  TURN_AT(RENAME, to, new);
  return (int)CALL(SYS_renameat2, from, old, to, new, 0);
}

int rename(const char *old, const char *new) {
  TURN_AT(RENAME, AT_FDCWD, new);
  return (int)CALL(SYS_renameat2, AT_FDCWD, old, AT_FDCWD, new, 0);
}

int linkat(int from, const char *old, int to, const char *new, int flags) {
  TURN_AT(LINK, to, new);
  return (int)CALL(SYS_linkat, from, old, to, new, flags);
}

int link(const char *old, const char *new) {
  TURN_AT(LINK, AT_FDCWD, new);
  return (int)CALL(SYS_linkat, AT_FDCWD, old, AT_FDCWD, new, 0);
}

int unlinkat(int directory, const char *name, int flags) {
  TURN_AT(UNLINK, directory, name);
  return (int)CALL(SYS_unlinkat, directory, name, flags);
}

int unlink(const char *name) {
  TURN_AT(UNLINK, AT_FDCWD, name);
  return (int)CALL(SYS_unlinkat, AT_FDCWD, name, 0);
}

int rmdir(const char *name) {
  TURN_AT(UNLINK, AT_FDCWD, name);
  return (int)CALL(SYS_unlinkat, AT_FDCWD, name, AT_REMOVEDIR);
}

int mkdirat(int directory, const char *name, mode_t mode) {
  TURN_AT(MAKE, directory, name);
  return (int)CALL(SYS_mkdirat, directory, name, mode);
}

int mkdir(const char *name, mode_t mode) {
  TURN_AT(MAKE, AT_FDCWD, name);
  return (int)CALL(SYS_mkdirat, AT_FDCWD, name, mode);
}

int symlinkat(const char *target, int directory, const char *name) {
  TURN_AT(MAKE, directory, name);
  return (int)CALL(SYS_symlinkat, target, directory, name);
}

int symlink(const char *target, const char *name) {
  TURN_AT(MAKE, AT_FDCWD, name);
  return (int)CALL(SYS_symlinkat, target, AT_FDCWD, name);
}

// MARK: Times and modes

int utimensat(int directory, const char *name, const struct timespec times[2], int flags) {
  TURN_AT(MARK, directory, name);
  return (int)CALL(SYS_utimensat, directory, name, times, flags);
}

int futimens(int file, const struct timespec times[2]) {
  TURN_ON(MARK, file);
  return (int)CALL(SYS_utimensat, file, NULL, times, 0);
}

int fchmod(int file, mode_t mode) {
  TURN_ON(MARK, file);
  return (int)CALL(SYS_fchmod, file, mode);
}

int chmod(const char *name, mode_t mode) {
  char path[PATH_MAX];
  // Cairn names its open files as "/proc/self/fd/7".
  ssize_t length = strncmp(name, "/proc/self/fd/", 14) == 0
                       ? CALL(SYS_readlinkat, AT_FDCWD, name, path, sizeof path - 1)
                       : -1;
  if (length >= 0) path[length] = 0;
  TURN_AT(MARK, AT_FDCWD, length >= 0 ? path : name);
  return (int)CALL(SYS_fchmodat, AT_FDCWD, name, mode);
}

// MARK: Opening

static int open_turn(const char *call, int directory, const char *name, int flags) {
  if (turn(CAIRN_FAULT_OPEN, call, directory, name, false) < 0) return -1;
  if (!(flags & O_CREAT) && (flags & O_TMPFILE) != O_TMPFILE) return 0;
  return turn(CAIRN_FAULT_MAKE, call, directory, name, false);
}

#define OPEN(directory, name, flags)                                         \
  do {                                                                       \
    mode_t mode = 0;                                                         \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                                   \
      va_list rest;                                                          \
      va_start(rest, flags);                                                 \
      mode = va_arg(rest, mode_t);                                           \
      va_end(rest);                                                          \
    }                                                                        \
    if (open_turn(__func__, directory, name, flags) < 0) return -1;          \
    return (int)CALL(SYS_openat, directory, name, (flags) | O_LARGEFILE, mode); \
  } while (0)

int open(const char *name, int flags, ...) { OPEN(AT_FDCWD, name, flags); }
int open64(const char *name, int flags, ...) { OPEN(AT_FDCWD, name, flags); }
int openat(int directory, const char *name, int flags, ...) { OPEN(directory, name, flags); }
int openat64(int directory, const char *name, int flags, ...) { OPEN(directory, name, flags); }

int socket(int domain, int type, int protocol) {
  TURN_ANYWHERE();
  return (int)CALL(SYS_socket, domain, type, protocol);
}

int accept4(int file, struct sockaddr *address, socklen_t *length, int flags) {
  TURN_ANYWHERE();
  return (int)CALL(SYS_accept4, file, address, length, flags);
}

int accept(int file, struct sockaddr *address, socklen_t *length) {
  TURN_ANYWHERE();
  return (int)CALL(SYS_accept4, file, address, length, 0);
}

int pipe2(int ends[2], int flags) {
  TURN_ANYWHERE();
  return (int)CALL(SYS_pipe2, ends, flags);
}

int pipe(int ends[2]) {
  TURN_ANYWHERE();
  return (int)CALL(SYS_pipe2, ends, 0);
}

int eventfd(unsigned count, int flags) {
  TURN_ANYWHERE();
  return (int)CALL(SYS_eventfd2, count, flags);
}

int inotify_init1(int flags) {
  TURN_ANYWHERE();
  return (int)CALL(SYS_inotify_init1, flags);
}

int inotify_add_watch(int file, const char *name, uint32_t mask) {
  // Cairn names its open files as "/proc/self/fd/7".
  static const char prefix[] = "/proc/self/fd/";
  int directory = strncmp(name, prefix, sizeof prefix - 1) ? -1 : atoi(name + sizeof prefix - 1);
  TURN_ON(WATCH, directory);
  return (int)CALL(SYS_inotify_add_watch, file, name, mask);
}

/// Calls that Cairn makes by number, because Swift's C library has no name for them.
long syscall(long number, ...) {
  long a[6];
  va_list rest;
  va_start(rest, number);
  for (int index = 0; index < 6; index++) a[index] = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_openat2) {
    const uint64_t *how = (const uint64_t *)a[2];
    if (open_turn("openat2", (int)a[0], (const char *)a[1], (int)how[0]) < 0) return -1;
  } else if (number == SYS_renameat2) {
    if (turn(CAIRN_FAULT_RENAME, "renameat2", (int)a[2], (const char *)a[3], false) < 0) return -1;
  }
  return CALL(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

// MARK: The date

static int64_t shift(clockid_t clock) {
  return page && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) ? page->seconds : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = (int)CALL(SYS_clock_gettime, clock, now);
  if (result == 0) now->tv_sec += shift(clock);
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  int result = (int)CALL(SYS_gettimeofday, now, zone);
  if (result == 0) now->tv_sec += shift(CLOCK_REALTIME);
  return result;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}
