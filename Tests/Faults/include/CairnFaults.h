// SPDX-License-Identifier: Apache-2.0
//
// CairnFaults: a library between a daemon and the C library (LD_PRELOAD). It kills the daemon at a
// system call, lets a call fail, or gives the daemon another date. It counts the calls of selected
// kinds on files below one folder. A page that the test and the daemon share, in the file that
// CAIRN_FAULTS names, selects the action. Without the page, nothing happens. The same is true in
// all programs except cairnd, or the program that CAIRN_FAULTS_IN names.

#ifndef CAIRN_FAULTS_H
#define CAIRN_FAULTS_H

#include <stdint.h>

/// The kinds of calls that are counted, as a set of bits.
enum cairn_fault_kind {
  CAIRN_FAULT_WRITE = 1,    ///< write, pwrite, writev
  CAIRN_FAULT_SYNC = 2,     ///< fsync, fdatasync, syncfs
  CAIRN_FAULT_RENAME = 4,   ///< rename, renameat, renameat2
  CAIRN_FAULT_LINK = 8,     ///< link, linkat
  CAIRN_FAULT_UNLINK = 16,  ///< unlink, unlinkat, rmdir
  CAIRN_FAULT_MAKE = 32,    ///< mkdir, symlink, and open that creates a file
  CAIRN_FAULT_SIZE = 64,    ///< ftruncate, fallocate
  CAIRN_FAULT_MARK = 128,   ///< utimensat, futimens, chmod, fchmod
  CAIRN_FAULT_INDEX = 512,  ///< Any of the above on a file of SQLite's, and only that.
  CAIRN_FAULT_OPEN = 256,   ///< every open, socket, accept, pipe, eventfd, inotify_init
  CAIRN_FAULT_WATCH = 1024  ///< inotify_add_watch of an open directory
};

/// The page. The numbers come first, so that a test reads and writes them by their index.
struct cairn_faults {
  int64_t kinds;    ///< 0: the calls go through uncounted.
  int64_t nth;      ///< Which call it happens to, from 1.
  int64_t act;      ///< 0: it is only counted; -1: SIGKILL before it; else it fails: this errno.
  int64_t count;    ///< Calls so far.
  int64_t fired;    ///< The process that it happened to.
  int64_t seconds;  ///< Added to the date, whatever the kinds.
  int64_t more;     ///< How many calls after that one it happens to as well.
  int64_t unused;
  char call[64];      ///< Which call it happened to, and
  char path[1920];    ///< on what.
  char folder[2048];  ///< Only below this folder, which ends with a slash.
};

#endif
