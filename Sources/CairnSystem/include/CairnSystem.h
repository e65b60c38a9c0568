// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// CairnSystem: the Linux calls that Swift's Glibc module lacks, because it is compiled without
// _GNU_SOURCE. Every function is one call (or the few that belong together) and returns a value
// >= 0, or -errno. No policy, no memory of its own, no system header beyond the four below.

#ifndef CAIRN_SYSTEM_H
#define CAIRN_SYSTEM_H

#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

#ifdef __cplusplus
extern "C" {
#endif

// MARK: What a file is

/// The result of statx. Times are nanoseconds since 1970; `mode` holds type and permissions.
struct cairn_stat {
  uint64_t dev;
  uint64_t ino;
  uint64_t size;
  int64_t mtime_ns;
  int64_t ctime_ns;
  int64_t btime_ns;  ///< 0 if the file system stores no birth time.
  uint32_t mode;
  uint32_t nlink;
  uint32_t uid;
  uint32_t gid;
  uint64_t mnt_id;  ///< 0 if the kernel does not provide it.
};

/// Describes the file `name` beneath `dirfd`. A symlink is not followed.
int cairn_stat_at(int dirfd, const char *name, struct cairn_stat *out);
/// Describes the open file `fd`.
int cairn_stat_fd(int fd, struct cairn_stat *out);
/// Reads the target of a symlink, not terminated. Returns its length; `n` may mean truncation.
ssize_t cairn_readlink_at(int dirfd, const char *name, char *buffer, size_t n);
/// The file system's magic number (statfs f_type).
int cairn_statfs_type(int fd, uint64_t *type);
/// The free bytes for an unprivileged writer.
int cairn_free_bytes(int fd, uint64_t *free_bytes);

// MARK: Opening and naming

/// openat2 beneath `dirfd`, without symlinks and magic links; always close-on-exec.
/// -ENOSYS if the kernel (or a sandbox) has no openat2. The caller then opens each component.
int cairn_open_beneath(int dirfd, const char *path, int flags, int mode);
/// Opens a descriptor that only names a file or folder (O_PATH | O_NOFOLLOW). It needs no
/// permission, and works with cairn_stat_fd and cairn_inotify_watch_folder.
int cairn_open_path(int dirfd, const char *name);
int cairn_rename(int olddir, const char *oldname, int newdir, const char *newname);
/// -EEXIST if the new name is taken; -EINVAL if the file system does not support the flag.
int cairn_rename_noreplace(int olddir, const char *oldname, int newdir, const char *newname);
/// Swaps two names in one step; -EINVAL if the file system does not support the flag.
int cairn_rename_exchange(int olddir, const char *oldname, int newdir, const char *newname);
/// Sets the modification time of a name, without following a symlink. The access time stays.
int cairn_set_times(int dirfd, const char *name, int64_t mtime_ns);
int cairn_set_times_fd(int fd, int64_t mtime_ns);

// MARK: Extended attributes

/// The names of the extended attributes of an open file, each with a NUL at its end. Returns the
/// bytes that all of them take.
ssize_t cairn_attribute_names(int fd, char *buffer, size_t n);
/// The value of an extended attribute. Returns its length; -ENODATA if there is none of that name.
ssize_t cairn_attribute(int fd, const char *name, void *buffer, size_t n);
int cairn_set_attribute(int fd, const char *name, const void *_Nullable value, size_t n);
int cairn_remove_attribute(int fd, const char *name);

// MARK: Contents

/// Checks for writers by taking and returning a read lease. 0: no process has the file open for
/// writing; -EAGAIN: some process has; other: unknown (another user's file, or no lease support).
/// `fd` must be open for reading only. A lease break in between raises SIGURG, which is ignored.
int cairn_read_lease_probe(int fd);
/// Starts writing the data of `fd` to the disk. Makes nothing durable.
int cairn_begin_write_out(int fd);
/// Writes out the whole file system that `fd` is on.
int cairn_sync_fs(int fd);

// MARK: Reading a folder

/// Fills `buffer` with entries of the folder (getdents64). Returns the bytes filled, 0 at the end.
ssize_t cairn_read_dir(int fd, void *buffer, size_t n);

/// Returns the entries in a buffer of cairn_read_dir one by one, without "." and "..". 1: an entry;
/// 0: no more. Begin with *offset == 0. `type` is a DT_ value, 0 (DT_UNKNOWN) if it is unknown.
/// `name` points into the buffer.
static inline int cairn_dirent_next(const void *buffer, size_t filled, size_t *offset,
                                    uint64_t *ino, unsigned char *type,
                                    const char *_Nullable *_Nonnull name) {
  // struct linux_dirent64: inode 8, offset 8, length 2, type 1, name.
  while (*offset + 19 < filled) {
    const char *entry = (const char *)buffer + *offset;
    uint16_t length;
    __builtin_memcpy(&length, entry + 16, sizeof length);
    if (length < 20 || length > filled - *offset) return 0;
    *offset += length;
    const char *text = entry + 19;
    if (text[0] == '.' && (text[1] == 0 || (text[1] == '.' && text[2] == 0))) continue;
    __builtin_memcpy(ino, entry, sizeof *ino);
    *type = (unsigned char)entry[18];
    *name = text;
    return 1;
  }
  return 0;
}

// MARK: Waiting

/// Creates an eventfd, non-blocking and close-on-exec, that another thread can raise for poll.
int cairn_eventfd(void);
int cairn_eventfd_raise(int fd);
/// Lowers it again. Returns 0 also if it was not raised.
int cairn_eventfd_clear(int fd);

/// Creates an inotify instance, non-blocking and close-on-exec.
int cairn_inotify_open(void);
/// Watches the open folder `folder_fd` for new names, and for its own removal or renaming.
/// Returns the watch; the same folder has the same watch. The descriptor may be closed afterwards.
int cairn_inotify_watch_folder(int inotify_fd, int folder_fd);
/// Watches the folder at `path` for writes to its files, and for new and deleted names.
int cairn_inotify_watch_writes(int inotify_fd, const char *_Nonnull path);
int cairn_inotify_unwatch(int inotify_fd, int watch);

enum {
  CAIRN_EVENT_APPEARED = 1,  ///< A name was created in the folder, linked or moved into it.
  CAIRN_EVENT_FOLDER = 2,    ///< That name is a folder.
  CAIRN_EVENT_MOVED = 4,     ///< The watched folder itself was moved or deleted.
  CAIRN_EVENT_DROPPED = 8,   ///< The watch ended: its number may be reused.
  CAIRN_EVENT_OVERFLOW = 16  ///< Events were lost; the watch is -1.
};

/// Returns the events in a buffer of read(2) on an inotify instance. 1: an event; 0: no more.
/// `name` is null if the event is about the watched folder itself.
int cairn_inotify_next(const void *buffer, size_t filled, size_t *offset, int *watch,
                       uint32_t *kinds, const char *_Nullable *_Nonnull name);

// MARK: Processes

/// Closes every descriptor from `first` on, in the child before exec.
int cairn_close_range_from(int first);
/// Makes the new process close all descriptors from `first` on, except those of later actions,
/// even if other threads open more meanwhile. 0, or -errno.
int cairn_spawn_close_from(posix_spawn_file_actions_t *actions, int first);
/// Replaces this program by another one, which gets only the descriptors 0 to 2 and `kept`.
/// -errno on failure; then nothing is closed.
int cairn_exec(const char *path, char *_Nullable const *_Nonnull arguments, const int *kept,
               size_t count);
/// Sets the signal for this process when the thread that started it ends.
int cairn_set_parent_death_signal(int signal_number);
/// Sets the calling thread's name in ps and top; at most 15 bytes are kept.
int cairn_name_thread(const char *name);
/// The first call in main: keeps buffers of a pack's size on the heap (without mmap), with few
/// arenas so that many threads do not multiply the resident size. Otherwise sealing
/// a piece of 256 KiB takes 3.5 times as long: glibc maps and unmaps a buffer for each piece.
int cairn_malloc_tune(void);
/// Returns free heap to the system when work runs out. Returns 1 if any was returned.
int cairn_malloc_trim(void);
/// Unmaps read-only pages of programs and libraries: only the start or much work needed most of
/// them. Pages in use return from the page cache, one fault at a time. 0, or -errno.
int cairn_release_code(void);

#ifdef __cplusplus
}
#endif

#pragma clang assume_nonnull end

#endif
