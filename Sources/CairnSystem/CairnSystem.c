// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#define _GNU_SOURCE
#include "CairnSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

static int checked(int result) { return result < 0 ? -errno : result; }

// MARK: What a file is

// Some file systems store times outside 64 bits of nanoseconds: these become the limits.
static int64_t nanoseconds(struct statx_timestamp time) {
  int64_t result;
  if (__builtin_mul_overflow(time.tv_sec, INT64_C(1000000000), &result) ||
      __builtin_add_overflow(result, (int64_t)time.tv_nsec, &result)) {
    return time.tv_sec < 0 ? INT64_MIN : INT64_MAX;
  }
  return result;
}

static int stat_into(int dirfd, const char *name, int flags, struct cairn_stat *out) {
  struct statx from;
  unsigned mask = STATX_BASIC_STATS | STATX_BTIME | STATX_MNT_ID;
  if (statx(dirfd, name, flags | AT_NO_AUTOMOUNT, mask, &from) < 0) return -errno;
  out->dev = ((uint64_t)from.stx_dev_major << 32) | from.stx_dev_minor;
  out->ino = from.stx_ino;
  out->size = from.stx_size;
  out->mtime_ns = nanoseconds(from.stx_mtime);
  out->ctime_ns = nanoseconds(from.stx_ctime);
  out->btime_ns = (from.stx_mask & STATX_BTIME) ? nanoseconds(from.stx_btime) : 0;
  out->mode = from.stx_mode;
  out->nlink = from.stx_nlink;
  out->uid = from.stx_uid;
  out->gid = from.stx_gid;
  out->mnt_id = (from.stx_mask & STATX_MNT_ID) ? from.stx_mnt_id : 0;
  return 0;
}

int cairn_stat_at(int dirfd, const char *name, struct cairn_stat *out) {
  return stat_into(dirfd, name, AT_SYMLINK_NOFOLLOW, out);
}

int cairn_stat_fd(int fd, struct cairn_stat *out) { return stat_into(fd, "", AT_EMPTY_PATH, out); }

ssize_t cairn_readlink_at(int dirfd, const char *name, char *buffer, size_t n) {
  ssize_t length = readlinkat(dirfd, name, buffer, n);
  return length < 0 ? -errno : length;
}

int cairn_statfs_type(int fd, uint64_t *type) {
  struct statfs from;
  if (fstatfs(fd, &from) < 0) return -errno;
  *type = (uint64_t)from.f_type;
  return 0;
}

int cairn_free_bytes(int fd, uint64_t *free_bytes) {
  struct statfs from;
  if (fstatfs(fd, &from) < 0) return -errno;
  uint64_t block = (uint64_t)(from.f_frsize ? from.f_frsize : from.f_bsize);
  *free_bytes = (uint64_t)from.f_bavail * block;
  return 0;
}

// MARK: Opening and naming

int cairn_open_beneath(int dirfd, const char *path, int flags, int mode) {
  struct open_how how;
  memset(&how, 0, sizeof how);
  how.flags = (uint64_t)(unsigned)flags | O_CLOEXEC;
  // The kernel refuses a mode where nothing can be created.
  if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) how.mode = (uint64_t)mode & 07777;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  // EAGAIN: a rename on the path made "beneath" unprovable. EINTR: a slow (network) file system was
  // interrupted. Both are retried, within bounds.
  for (int attempt = 0;; attempt++) {
    long fd = syscall(SYS_openat2, dirfd, path, &how, sizeof how);
    if (fd >= 0) return (int)fd;
    if ((errno != EAGAIN && errno != EINTR) || attempt >= 64) return -errno;
  }
}

int cairn_open_path(int dirfd, const char *name) {
  return checked(openat(dirfd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

static void own_descriptor_path(int fd, char path[32]) {
  snprintf(path, 32, "/proc/self/fd/%d", fd);
}

static int rename_with(int olddir, const char *oldname, int newdir, const char *newname,
                       unsigned flags) {
  return checked(renameat2(olddir, oldname, newdir, newname, flags));
}

int cairn_rename(int olddir, const char *oldname, int newdir, const char *newname) {
  return rename_with(olddir, oldname, newdir, newname, 0);
}

int cairn_rename_noreplace(int olddir, const char *oldname, int newdir, const char *newname) {
  return rename_with(olddir, oldname, newdir, newname, RENAME_NOREPLACE);
}

int cairn_rename_exchange(int olddir, const char *oldname, int newdir, const char *newname) {
  return rename_with(olddir, oldname, newdir, newname, RENAME_EXCHANGE);
}

// Both times are given: some file systems in user space take UTIME_OMIT and then set nothing. The
// time of the last access stays as it was.
static int both_times(int fd, const char *name, int flags, int64_t mtime_ns,
                      struct timespec times[2]) {
  int64_t seconds = mtime_ns / INT64_C(1000000000);
  int64_t rest = mtime_ns % INT64_C(1000000000);
  if (rest < 0) {
    seconds -= 1;
    rest += INT64_C(1000000000);
  }
  struct stat now;
  if (fstatat(fd, name, &now, flags) < 0) return -errno;
  times[0] = now.st_atim;
  times[1] = (struct timespec){.tv_sec = seconds, .tv_nsec = rest};
  return 0;
}

int cairn_set_times(int dirfd, const char *name, int64_t mtime_ns) {
  struct timespec times[2];
  int failed = both_times(dirfd, name, AT_SYMLINK_NOFOLLOW, mtime_ns, times);
  if (failed < 0) return failed;
  return checked(utimensat(dirfd, name, times, AT_SYMLINK_NOFOLLOW));
}

int cairn_set_times_fd(int fd, int64_t mtime_ns) {
  struct timespec times[2];
  int failed = both_times(fd, "", AT_EMPTY_PATH, mtime_ns, times);
  if (failed < 0) return failed;
  return checked(futimens(fd, times));
}

// MARK: Extended attributes

ssize_t cairn_attribute_names(int fd, char *buffer, size_t n) {
  ssize_t length = flistxattr(fd, buffer, n);
  return length < 0 ? -errno : length;
}

ssize_t cairn_attribute(int fd, const char *name, void *buffer, size_t n) {
  ssize_t length = fgetxattr(fd, name, buffer, n);
  return length < 0 ? -errno : length;
}

int cairn_set_attribute(int fd, const char *name, const void *value, size_t n) {
  return checked(fsetxattr(fd, name, value, n, 0));
}

int cairn_remove_attribute(int fd, const char *name) {
  return checked(fremovexattr(fd, name));
}

// MARK: Contents

int cairn_read_lease_probe(int fd) {
  // If another process opens the file for writing during the lease, the kernel sends a signal:
  // by default SIGIO, which would end the process. SIGURG is ignored by default.
  if (fcntl(fd, F_SETSIG, SIGURG) < 0) return -errno;
  if (fcntl(fd, F_SETLEASE, F_RDLCK) < 0) return -errno;
  return checked(fcntl(fd, F_SETLEASE, F_UNLCK));
}

int cairn_begin_write_out(int fd) {
  return checked(sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE));
}

int cairn_sync_fs(int fd) { return checked(syncfs(fd)); }

// MARK: Reading a folder

ssize_t cairn_read_dir(int fd, void *buffer, size_t n) {
  long filled = syscall(SYS_getdents64, fd, buffer, n);
  return filled < 0 ? -errno : filled;
}

// MARK: Waiting

int cairn_eventfd(void) { return checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

int cairn_eventfd_raise(int fd) {
  uint64_t one = 1;
  // EAGAIN: the counter is full, so it is raised.
  return write(fd, &one, sizeof one) < 0 && errno != EAGAIN ? -errno : 0;
}

int cairn_eventfd_clear(int fd) {
  uint64_t count;
  return read(fd, &count, sizeof count) < 0 && errno != EAGAIN ? -errno : 0;
}

int cairn_inotify_open(void) { return checked(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)); }

int cairn_inotify_watch_folder(int inotify_fd, int folder_fd) {
  // By descriptor, so that no path is resolved again and no symlink can be inserted.
  char path[32];
  own_descriptor_path(folder_fd, path);
  uint32_t mask = IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
  return checked(inotify_add_watch(inotify_fd, path, mask));
}

int cairn_inotify_watch_writes(int inotify_fd, const char *_Nonnull path) {
  uint32_t mask = IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_ONLYDIR;
  return checked(inotify_add_watch(inotify_fd, path, mask));
}

int cairn_inotify_unwatch(int inotify_fd, int watch) {
  return checked(inotify_rm_watch(inotify_fd, watch));
}

int cairn_inotify_next(const void *buffer, size_t filled, size_t *offset, int *watch,
                       uint32_t *kinds, const char *_Nullable *_Nonnull name) {
  struct inotify_event event;
  if (*offset > filled || filled - *offset < sizeof event) return 0;
  const char *start = (const char *)buffer + *offset;
  memcpy(&event, start, sizeof event);
  if (event.len > filled - *offset - sizeof event) return 0;
  *offset += sizeof event + event.len;
  *watch = event.wd;
  *name = event.len > 0 ? start + sizeof event : NULL;
  uint32_t seen = 0;
  if (event.mask & (IN_CREATE | IN_MOVED_TO)) seen |= CAIRN_EVENT_APPEARED;
  if (event.mask & IN_ISDIR) seen |= CAIRN_EVENT_FOLDER;
  if (event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)) seen |= CAIRN_EVENT_MOVED;
  if (event.mask & IN_IGNORED) seen |= CAIRN_EVENT_DROPPED;
  if (event.mask & IN_Q_OVERFLOW) seen |= CAIRN_EVENT_OVERFLOW;
  *kinds = seen;
  return 1;
}

// MARK: Processes

int cairn_close_range_from(int first) {
  return (int)(syscall(SYS_close_range, first, ~0U, 0) < 0 ? -errno : 0);
}

int cairn_spawn_close_from(posix_spawn_file_actions_t *actions, int first) {
  return -posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int cairn_exec(const char *path, char *const *arguments, const int *kept, size_t count) {
  // A kernel before 5.11 has no such flag. All our descriptors are close-on-exec anyway.
  const unsigned int close_on_exec = 1U << 2;
  (void)syscall(SYS_close_range, 3, ~0U, close_on_exec);
  for (size_t i = 0; i < count; i++) {
    if (fcntl(kept[i], F_SETFD, 0) < 0) return -errno;
  }
  execv(path, arguments);
  int failure = errno;
  for (size_t i = 0; i < count; i++) (void)fcntl(kept[i], F_SETFD, FD_CLOEXEC);
  return -failure;
}

int cairn_set_parent_death_signal(int signal_number) {
  return checked(prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0));
}

int cairn_name_thread(const char *name) { return checked(prctl(PR_SET_NAME, name, 0, 0, 0)); }

int cairn_malloc_tune(void) {
  // glibc refuses a threshold above 32 MiB. 16 MiB covers a pack (8 MiB) and its sealed copy.
  // Heap memory is returned above 32 MiB automatically, and at rest by cairn_malloc_trim.
  int ok = mallopt(M_MMAP_THRESHOLD, 16 << 20) && mallopt(M_TRIM_THRESHOLD, 32 << 20) &&
           mallopt(M_TOP_PAD, 1 << 20) && mallopt(M_ARENA_MAX, 4);
  return ok ? 0 : -EINVAL;
}

int cairn_malloc_trim(void) { return malloc_trim(0); }

// Read-only segments have no pages of their own, so nothing is lost.
static int release_code_of(struct dl_phdr_info *program, size_t size, void *result) {
  (void)size;
  for (int i = 0; i < program->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &program->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (program->dlpi_addr + segment->p_vaddr) & ~(page - 1);
    uintptr_t end = program->dlpi_addr + segment->p_vaddr + segment->p_filesz;
    if (madvise((void *)start, end - start, MADV_DONTNEED) != 0) *(int *)result = -errno;
  }
  return 0;
}

int cairn_release_code(void) {
  int result = 0;
  dl_iterate_phdr(release_code_of, &result);
  return result;
}
