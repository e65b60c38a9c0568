// SPDX-License-Identifier: Apache-2.0
//
// CairnFuse: a file system in user space by libfuse's low-level interface, which consists of macros
// and callbacks that Swift cannot use. Each callback answers one request of the kernel, on one of
// several threads. It returns 0 or an errno. It decides nothing and keeps no state.

#ifndef CAIRN_FUSE_H
#define CAIRN_FUSE_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The number of the root of the file system.
#define CAIRN_FUSE_ROOT 1

/// A file, directory or symlink. This user owns all of them.
struct cairn_fuse_entry {
  /// The number by which the kernel names it until it forgets it.
  uint64_t node;
  /// The inode number that programs see.
  uint64_t inode;
  uint64_t size;
  /// Type and permissions.
  uint32_t mode;
  int64_t modified_ns;
  /// The time in seconds for which the kernel asks no more about it.
  double valid;
};

/// A change of attributes. Only those with a flag change.
struct cairn_fuse_change {
  int has_size, has_mode, has_modified;
  uint64_t size;
  uint32_t mode;
  int64_t modified_ns;
};

/// A part of a directory that is sent to the kernel.
struct cairn_fuse_page;

/// The callbacks. `context` is the value from `cairn_fuse_run`.
struct cairn_fuse_events {
  /// Finds a name, and remembers the node once more.
  int (*lookup)(void *context, uint64_t parent, const char *name, struct cairn_fuse_entry *entry);
  /// Forgets a node that was remembered `count` times.
  void (*forget)(void *context, uint64_t node, uint64_t count);
  int (*attributes)(void *context, uint64_t node, struct cairn_fuse_entry *entry);
  /// Copies the target of a symlink, with a NUL at its end, into `room` bytes.
  int (*target)(void *context, uint64_t node, char *buffer, size_t room);
  int (*open)(void *context, uint64_t node, int flags, uint64_t *handle);
  /// Returns a descriptor with the bytes of a range, which stays open until `close`.
  int (*read)(void *context, uint64_t handle, uint64_t offset, size_t count, int *descriptor);
  void (*close)(void *context, uint64_t handle);
  int (*open_directory)(void *context, uint64_t node, uint64_t *handle);
  /// Adds entries to a page, from an offset on. 0 is the beginning; others come from
  /// `cairn_fuse_add`.
  /// Each entry of a page with `remembers` is remembered once more.
  int (*list)(void *context, uint64_t handle, uint64_t offset, int remembers,
              struct cairn_fuse_page *page);
  void (*close_directory)(void *context, uint64_t handle);
  int (*change)(void *context, uint64_t node, const struct cairn_fuse_change *change,
                struct cairn_fuse_entry *entry);
  /// Makes a symlink, or without a target a directory, and remembers it once.
  int (*make)(void *context, uint64_t parent, const char *name, const char *_Nullable target,
              struct cairn_fuse_entry *entry);
  int (*remove)(void *context, uint64_t parent, const char *name, int is_directory);
  int (*rename)(void *context, uint64_t parent, const char *name, uint64_t to,
                const char *new_name, int replaces);
  /// Makes and opens a file, and remembers it once.
  int (*create)(void *context, uint64_t parent, const char *name, uint32_t mode,
                struct cairn_fuse_entry *entry, uint64_t *handle);
  int (*write)(void *context, uint64_t handle, uint64_t offset, const void *bytes, size_t count);
  /// Sends the written bytes of a file: before each close of a descriptor, and for fsync.
  int (*flush)(void *context, uint64_t handle);
};

/// Adds an entry to a page. `next` is the offset of the entry after it. Returns 0, and adds
/// nothing, if the page is full.
int cairn_fuse_add(struct cairn_fuse_page *page, const char *name,
                   const struct cairn_fuse_entry *entry, uint64_t next);

/// Returns NULL if this program was built with libfuse, and the library can be loaded. Otherwise,
/// it returns a sentence that says what is missing.
const char *_Nullable cairn_fuse_missing(void);

/// Mounts the file system, and answers requests until it is unmounted, or until SIGTERM, SIGINT or
/// SIGHUP. `ready` is called once it is mounted. Returns 0, or -1 if it cannot be mounted or no
/// thread can be started; libfuse has written the reason of the former to standard error.
/// `cache` is a path on the disk whose free space the file system shows.
int cairn_fuse_run(const char *path, const char *source, const char *cache, int threads,
                   int writable, const struct cairn_fuse_events *events, void *_Nullable context,
                   void (*ready)(void *_Nullable context));

#pragma clang assume_nonnull end

#endif
