// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CairnFuse.h"

#if __has_include(<fuse3/fuse_lowlevel.h>)
#include "Library.h"

static struct view *view_of(fuse_req_t request) { return lib.fuse_req_userdata(request); }

static struct stat status_of(const struct cairn_fuse_entry *entry) {
  struct stat status = {0};
  status.st_ino = entry->inode;
  status.st_mode = entry->mode;
  status.st_nlink = S_ISDIR(entry->mode) ? 2 : 1;
  status.st_uid = getuid();
  status.st_gid = getgid();
  status.st_size = (off_t)entry->size;
  status.st_blksize = 128 << 10;
  status.st_blocks = (blkcnt_t)((entry->size + 511) / 512);
  status.st_mtim.tv_sec = entry->modified_ns / 1000000000;
  status.st_mtim.tv_nsec = entry->modified_ns % 1000000000;
  if (status.st_mtim.tv_nsec < 0) {
    status.st_mtim.tv_nsec += 1000000000;
    status.st_mtim.tv_sec -= 1;
  }
  status.st_atim = status.st_ctim = status.st_mtim;
  return status;
}

static struct fuse_entry_param param_of(const struct cairn_fuse_entry *entry) {
  struct fuse_entry_param param = {0};
  param.ino = entry->node;
  param.attr = status_of(entry);
  param.attr_timeout = param.entry_timeout = entry->valid;
  return param;
}

// MARK: Entries

static void reply_entry(fuse_req_t request, int error, const struct cairn_fuse_entry *entry) {
  if (error != 0) {
    lib.fuse_reply_err(request, error);
    return;
  }
  struct fuse_entry_param param = param_of(entry);
  // An interrupted caller does not learn of the node.
  struct view *view = view_of(request);
  if (lib.fuse_reply_entry(request, &param) != 0) view->events->forget(view->context, param.ino, 1);
}

static void on_lookup(fuse_req_t request, fuse_ino_t parent, const char *name) {
  struct view *view = view_of(request);
  struct cairn_fuse_entry entry = {0};
  reply_entry(request, view->events->lookup(view->context, parent, name, &entry), &entry);
}

static void on_forget(fuse_req_t request, fuse_ino_t node, uint64_t count) {
  struct view *view = view_of(request);
  view->events->forget(view->context, node, count);
  lib.fuse_reply_none(request);
}

static void on_forget_multi(fuse_req_t request, size_t count, struct fuse_forget_data *forgets) {
  struct view *view = view_of(request);
  for (size_t place = 0; place < count; place++)
    view->events->forget(view->context, forgets[place].ino, forgets[place].nlookup);
  lib.fuse_reply_none(request);
}

static void on_getattr(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info) {
  (void)info;
  struct view *view = view_of(request);
  struct cairn_fuse_entry entry = {0};
  int error = view->events->attributes(view->context, node, &entry);
  if (error != 0) {
    lib.fuse_reply_err(request, error);
    return;
  }
  struct stat status = status_of(&entry);
  lib.fuse_reply_attr(request, &status, entry.valid);
}

static void on_readlink(fuse_req_t request, fuse_ino_t node) {
  struct view *view = view_of(request);
  char target[4097];
  int error = view->events->target(view->context, node, target, sizeof target);
  if (error != 0) {
    lib.fuse_reply_err(request, error);
  } else {
    lib.fuse_reply_readlink(request, target);
  }
}

static void on_setattr(fuse_req_t request, fuse_ino_t node, struct stat *wanted, int flags,
                       struct fuse_file_info *info) {
  (void)info;
  struct view *view = view_of(request);
  struct cairn_fuse_entry entry = {0};
  struct cairn_fuse_change change = {0};
  if (((flags & FUSE_SET_ATTR_UID) && wanted->st_uid != getuid()) ||
      ((flags & FUSE_SET_ATTR_GID) && wanted->st_gid != getgid())) {
    lib.fuse_reply_err(request, EPERM);
    return;
  }
  change.has_size = (flags & FUSE_SET_ATTR_SIZE) != 0;
  change.size = (uint64_t)wanted->st_size;
  change.has_mode = (flags & FUSE_SET_ATTR_MODE) != 0;
  change.mode = wanted->st_mode;
  change.has_modified = (flags & (FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_MTIME_NOW)) != 0;
  struct timespec time = wanted->st_mtim;
  if (flags & FUSE_SET_ATTR_MTIME_NOW) clock_gettime(CLOCK_REALTIME, &time);
  // 64 bits of nanoseconds end in the year 2262.
  if (__builtin_mul_overflow((int64_t)time.tv_sec, 1000000000, &change.modified_ns) ||
      __builtin_add_overflow(change.modified_ns, time.tv_nsec, &change.modified_ns))
    change.modified_ns = time.tv_sec < 0 ? INT64_MIN : INT64_MAX;
  int error = view->events->change(view->context, node, &change, &entry);
  if (error != 0) {
    lib.fuse_reply_err(request, error);
    return;
  }
  struct stat status = status_of(&entry);
  lib.fuse_reply_attr(request, &status, entry.valid);
}

static void make(fuse_req_t request, fuse_ino_t parent, const char *name, const char *target) {
  struct view *view = view_of(request);
  struct cairn_fuse_entry entry = {0};
  reply_entry(request, view->events->make(view->context, parent, name, target, &entry), &entry);
}

static void on_mkdir(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode) {
  (void)mode;
  make(request, parent, name, NULL);
}

static void on_symlink(fuse_req_t request, const char *target, fuse_ino_t parent,
                       const char *name) {
  make(request, parent, name, target);
}

static void on_unlink(fuse_req_t request, fuse_ino_t parent, const char *name) {
  struct view *view = view_of(request);
  lib.fuse_reply_err(request, view->events->remove(view->context, parent, name, 0));
}

static void on_rmdir(fuse_req_t request, fuse_ino_t parent, const char *name) {
  struct view *view = view_of(request);
  lib.fuse_reply_err(request, view->events->remove(view->context, parent, name, 1));
}

static void on_rename(fuse_req_t request, fuse_ino_t parent, const char *name, fuse_ino_t to,
                      const char *new_name, unsigned int flags) {
  struct view *view = view_of(request);
  int error = (flags & ~(unsigned int)RENAME_NOREPLACE) != 0
                  ? EINVAL
                  : view->events->rename(view->context, parent, name, to, new_name, flags == 0);
  lib.fuse_reply_err(request, error);
}

static void on_statfs(fuse_req_t request, fuse_ino_t node) {
  (void)node;
  struct statvfs space = {0};
  if (statvfs(view_of(request)->cache, &space) != 0) {
    lib.fuse_reply_err(request, errno);
    return;
  }
  space.f_namemax = 255;
  lib.fuse_reply_statfs(request, &space);
}

// MARK: Files

static void on_create(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode,
                      struct fuse_file_info *info) {
  struct view *view = view_of(request);
  struct cairn_fuse_entry entry = {0};
  int error = view->events->create(view->context, parent, name, mode, &entry, &info->fh);
  if (error != 0) {
    lib.fuse_reply_err(request, error);
    return;
  }
  struct fuse_entry_param param = param_of(&entry);
  if (lib.fuse_reply_create(request, &param, info) != 0) {
    view->events->close(view->context, info->fh);
    view->events->forget(view->context, param.ino, 1);
  }
}

static void on_write(fuse_req_t request, fuse_ino_t node, const char *bytes, size_t count,
                     off_t offset, struct fuse_file_info *info) {
  (void)node;
  struct view *view = view_of(request);
  int error = view->events->write(view->context, info->fh, (uint64_t)offset, bytes, count);
  if (error != 0) {
    lib.fuse_reply_err(request, error);
  } else {
    lib.fuse_reply_write(request, count);
  }
}

static void on_flush(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info) {
  (void)node;
  struct view *view = view_of(request);
  lib.fuse_reply_err(request, view->events->flush(view->context, info->fh));
}

static void on_fsync(fuse_req_t request, fuse_ino_t node, int only_data,
                     struct fuse_file_info *info) {
  (void)only_data;
  on_flush(request, node, info);
}

static void on_open(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info) {
  struct view *view = view_of(request);
  int error = view->events->open(view->context, node, info->flags, &info->fh);
  if (error != 0) {
    lib.fuse_reply_err(request, error);
  } else if (lib.fuse_reply_open(request, info) != 0) {
    view->events->close(view->context, info->fh);
  }
}

static void on_read(fuse_req_t request, fuse_ino_t node, size_t count, off_t offset,
                    struct fuse_file_info *info) {
  (void)node;
  struct view *view = view_of(request);
  int descriptor = -1;
  int error = view->events->read(view->context, info->fh, (uint64_t)offset, count, &descriptor);
  if (error != 0) {
    lib.fuse_reply_err(request, error);
    return;
  }
  struct fuse_bufvec bytes = FUSE_BUFVEC_INIT(count);
  bytes.buf[0].flags = FUSE_BUF_IS_FD | FUSE_BUF_FD_SEEK;
  bytes.buf[0].fd = descriptor;
  bytes.buf[0].pos = offset;
  lib.fuse_reply_data(request, &bytes, FUSE_BUF_SPLICE_MOVE);
}

static void on_release(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info) {
  (void)node;
  struct view *view = view_of(request);
  view->events->close(view->context, info->fh);
  lib.fuse_reply_err(request, 0);
}

// MARK: Directories

struct cairn_fuse_page {
  fuse_req_t request;
  char *bytes;
  size_t used, room;
  int remembers;
};

static void on_opendir(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info) {
  struct view *view = view_of(request);
  int error = view->events->open_directory(view->context, node, &info->fh);
  if (error != 0) {
    lib.fuse_reply_err(request, error);
  } else if (lib.fuse_reply_open(request, info) != 0) {
    view->events->close_directory(view->context, info->fh);
  }
}

int cairn_fuse_add(struct cairn_fuse_page *page, const char *name,
                   const struct cairn_fuse_entry *entry, uint64_t next) {
  size_t left = page->room - page->used, size;
  struct fuse_entry_param param = param_of(entry);
  if (page->remembers) {
    size = lib.fuse_add_direntry_plus(page->request, page->bytes + page->used, left, name, &param,
                                      (off_t)next);
  } else {
    size = lib.fuse_add_direntry(page->request, page->bytes + page->used, left, name, &param.attr,
                                 (off_t)next);
  }
  if (size > left) return 0;
  page->used += size;
  return 1;
}

static void list(fuse_req_t request, size_t room, off_t offset, struct fuse_file_info *info,
                 int remembers) {
  struct view *view = view_of(request);
  struct cairn_fuse_page page = {request, malloc(room), 0, room, remembers};
  int error = page.bytes == NULL ? ENOMEM
                                 : view->events->list(view->context, info->fh, (uint64_t)offset,
                                                      remembers, &page);
  if (error != 0) {
    lib.fuse_reply_err(request, error);
  } else {
    lib.fuse_reply_buf(request, page.bytes, page.used);
  }
  free(page.bytes);
}

static void on_readdir(fuse_req_t request, fuse_ino_t node, size_t room, off_t offset,
                       struct fuse_file_info *info) {
  (void)node;
  list(request, room, offset, info, 0);
}

static void on_readdirplus(fuse_req_t request, fuse_ino_t node, size_t room, off_t offset,
                           struct fuse_file_info *info) {
  (void)node;
  list(request, room, offset, info, 1);
}

static void on_releasedir(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info) {
  (void)node;
  struct view *view = view_of(request);
  view->events->close_directory(view->context, info->fh);
  lib.fuse_reply_err(request, 0);
}

const struct fuse_lowlevel_ops cairn_fuse_operations = {
    .lookup = on_lookup,
    .forget = on_forget,
    .forget_multi = on_forget_multi,
    .getattr = on_getattr,
    .readlink = on_readlink,
    .open = on_open,
    .read = on_read,
    .release = on_release,
    .opendir = on_opendir,
    .readdir = on_readdir,
    .readdirplus = on_readdirplus,
    .releasedir = on_releasedir,
    .setattr = on_setattr,
    .mkdir = on_mkdir,
    .symlink = on_symlink,
    .unlink = on_unlink,
    .rmdir = on_rmdir,
    .rename = on_rename,
    .statfs = on_statfs,
    .create = on_create,
    .write = on_write,
    .flush = on_flush,
    .fsync = on_fsync,
};

#endif
