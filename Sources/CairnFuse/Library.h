// SPDX-License-Identifier: Apache-2.0
//
// What the files of CairnFuse share: the functions of libfuse, and a view.

#ifndef CAIRN_FUSE_LIBRARY_H
#define CAIRN_FUSE_LIBRARY_H

#define FUSE_USE_VERSION 34
#include <fuse3/fuse_lowlevel.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "CairnFuse.h"

// The library is opened for the first view, so that no other command needs it.
#define NEEDED(X)                                                                                \
  X(fuse_add_direntry)                                                                           \
  X(fuse_add_direntry_plus)                                                                      \
  X(fuse_opt_free_args)                                                                          \
  X(fuse_opt_add_arg)                                                                            \
  X(fuse_reply_attr)                                                                             \
  X(fuse_reply_buf)                                                                              \
  X(fuse_reply_create)                                                                           \
  X(fuse_reply_data)                                                                             \
  X(fuse_reply_entry)                                                                            \
  X(fuse_reply_err)                                                                              \
  X(fuse_reply_none)                                                                             \
  X(fuse_reply_open)                                                                             \
  X(fuse_reply_readlink)                                                                         \
  X(fuse_reply_statfs)                                                                           \
  X(fuse_reply_write)                                                                            \
  X(fuse_req_userdata)                                                                           \
  X(fuse_session_destroy)                                                                        \
  X(fuse_session_exit)                                                                           \
  X(fuse_session_exited)                                                                         \
  X(fuse_session_mount)                                                                          \
  X(fuse_session_process_buf)                                                                    \
  X(fuse_session_receive_buf)                                                                    \
  X(fuse_session_unmount)

#define MEMBER(name) __typeof__(&name) name;
/// The functions of the library.
struct cairn_fuse_library {
  NEEDED(MEMBER)
  struct fuse_session *(*session_new)(struct fuse_args *, const struct fuse_lowlevel_ops *, size_t,
                                      void *);
};
extern struct cairn_fuse_library cairn_fuse_lib;
#define lib cairn_fuse_lib

/// A view that is shown.
struct view {
  const struct cairn_fuse_events *events;
  void *context;
  const char *cache;
  struct fuse_session *session;
  pthread_t waiting;
};

/// The answers to the kernel's requests. Their user data is a view.
extern const struct fuse_lowlevel_ops cairn_fuse_operations;

#endif
