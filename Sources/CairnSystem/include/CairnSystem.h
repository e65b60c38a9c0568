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

/// What statx says of a file. Times are nanoseconds since 1970; `mode` holds type and permissions.
struct cairn_stat {
  uint64_t dev;
  uint64_t ino;
  uint64_t size;
  int64_t mtime_ns;
  int64_t ctime_ns;
  int64_t btime_ns;  ///< 0 where the file system keeps no time of birth.
  uint32_t mode;
  uint32_t nlink;
  uint32_t uid;
  uint32_t gid;
  uint64_t mnt_id;  ///< 0 where the kernel does not tell.
};

/// The file `name` beneath `dirfd`; a symlink itself, never what it points to.
int cairn_stat_at(int dirfd, const char *name, struct cairn_stat *out);
/// The open file `fd`.
int cairn_stat_fd(int fd, struct cairn_stat *out);
/// The target of a symlink, not terminated. Returns its length; `n` means it may be cut short.
ssize_t cairn_readlink_at(int dirfd, const char *name, char *buffer, size_t n);
/// The file system's magic number (statfs f_type).
int cairn_statfs_type(int fd, uint64_t *type);
/// Bytes that an unprivileged writer may still store.
int cairn_free_bytes(int fd, uint64_t *free_bytes);

// MARK: Opening and naming

/// openat2 beneath `dirfd`, following no symlink and no magic link; always close-on-exec.
/// -ENOSYS where the kernel (or a sandbox) has no openat2: the caller walks by component then.
int cairn_open_beneath(int dirfd, const char *path, int flags, int mode);
/// A descriptor that only names a file or folder (O_PATH | O_NOFOLLOW), needing no permission
/// on it; enough for cairn_stat_fd and cairn_inotify_watch_folder.
int cairn_open_path(int dirfd, const char *name);
int cairn_rename(int olddir, const char *oldname, int newdir, const char *newname);
/// -EEXIST if the new name is taken; -EINVAL where the file system does not offer the flag.
int cairn_rename_noreplace(int olddir, const char *oldname, int newdir, const char *newname);
/// Swaps two names in one step; -EINVAL where the file system does not offer the flag.
int cairn_rename_exchange(int olddir, const char *oldname, int newdir, const char *newname);
/// Sets the modification time of a name, not following a symlink; the access time stays.
int cairn_set_times(int dirfd, const char *name, int64_t mtime_ns);
int cairn_set_times_fd(int fd, int64_t mtime_ns);

// MARK: Contents

/// 0: nobody has the file open for writing (a read lease was had and given back at once);
/// -EAGAIN: somebody has; anything else: no answer here (not our file, or leases not offered).
/// `fd` must be open for reading only. A lease break in between raises SIGURG, which is ignored.
int cairn_read_lease_probe(int fd);
/// Has the disk begin writing what was written to `fd` so far; makes nothing durable.
int cairn_begin_write_out(int fd);
/// Writes out the whole file system that `fd` is on.
int cairn_sync_fs(int fd);

// MARK: Reading a folder

/// Fills `buffer` with entries of the folder (getdents64). Returns the bytes filled, 0 at the end.
ssize_t cairn_read_dir(int fd, void *buffer, size_t n);

/// Steps through what cairn_read_dir filled, "." and ".." left out. 1: an entry; 0: no more.
/// Begin with *offset == 0. `type` is a DT_ value, 0 (DT_UNKNOWN) where the folder does not tell.
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

/// An eventfd, non-blocking and close-on-exec: something for poll that another thread can raise.
int cairn_eventfd(void);
int cairn_eventfd_raise(int fd);
/// Lowers it again; 0 also when it was not raised.
int cairn_eventfd_clear(int fd);

/// An inotify instance, non-blocking and close-on-exec.
int cairn_inotify_open(void);
/// Watches the folder open as `folder_fd` for names that appear in it and for its own going.
/// Returns the watch; the same folder gives the same watch. The descriptor may be closed after.
int cairn_inotify_watch_folder(int inotify_fd, int folder_fd);
int cairn_inotify_unwatch(int inotify_fd, int watch);

enum {
  CAIRN_EVENT_APPEARED = 1,  ///< A name was made in the folder, linked or moved into it.
  CAIRN_EVENT_FOLDER = 2,    ///< That name is a folder.
  CAIRN_EVENT_MOVED = 4,     ///< The watched folder itself was moved or deleted.
  CAIRN_EVENT_DROPPED = 8,   ///< The watch is gone: its number may be given again.
  CAIRN_EVENT_OVERFLOW = 16  ///< Events were lost; the watch is -1.
};

/// Steps through what read(2) on an inotify instance filled. 1: an event; 0: no more.
/// `name` is null where the event is about the watched folder itself.
int cairn_inotify_next(const void *buffer, size_t filled, size_t *offset, int *watch,
                       uint32_t *kinds, const char *_Nullable *_Nonnull name);

// MARK: Processes

/// Closes every descriptor from `first` on: for the child, before exec.
int cairn_close_range_from(int first);
/// Who is started with these actions has no descriptor from `first` on but those that later actions
/// give it, whatever other threads open meanwhile. 0, or -errno.
int cairn_spawn_close_from(posix_spawn_file_actions_t *actions, int first);
/// Becomes another program, which gets the descriptors 0 to 2 and those `kept`, and no other.
/// -errno if it can't; then nothing is closed.
int cairn_exec(const char *path, char *_Nullable const *_Nonnull arguments, const int *kept,
               size_t count);
/// The signal this process gets when the thread that started it ends.
int cairn_set_parent_death_signal(int signal_number);
/// The calling thread's name in ps and top; 15 bytes at most are kept.
int cairn_name_thread(const char *name);
/// First thing in main: keeps buffers of a pack's size on the heap (no mmap for each), with few
/// arenas so that many threads don't multiply the resident size. Otherwise sealing
/// a piece of 256 KiB takes 3.5 times as long: glibc maps and unmaps the buffer for each.
int cairn_malloc_tune(void);
/// Gives free heap back to the system; for the moment when work runs out. 1 if any was.
int cairn_malloc_trim(void);
/// Takes the pages of programs and libraries that were mapped for reading, and never written, out
/// of the process: what only the start or a lot of work needed. Those in use come back from the
/// page cache one fault at a time. 0, or -errno.
int cairn_release_code(void);

#ifdef __cplusplus
}
#endif

#pragma clang assume_nonnull end

#endif
