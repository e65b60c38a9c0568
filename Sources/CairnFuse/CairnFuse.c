// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CairnFuse.h"

#if __has_include(<fuse3/fuse_lowlevel.h>)
#include "Library.h"

struct cairn_fuse_library cairn_fuse_lib;
static const char *missing;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// The library's name changed with 3.17.
#if FUSE_MAJOR_VERSION == 3 && FUSE_MINOR_VERSION < 17
#define LIBRARY "libfuse3.so.3"
#else
#define LIBRARY "libfuse3.so.4"
#endif

static void load(void) {
  void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  missing = "The library " LIBRARY " isn't installed.";
  if (library == NULL) return;
  missing = "The library " LIBRARY " is of another version than the one that Cairn was built with.";
#define FIND(name)                                                                               \
  *(void **)&lib.name = dlsym(library, #name);                                                   \
  if (lib.name == NULL) return;
  NEEDED(FIND)
  *(void **)&lib.session_new = dlvsym(library, "fuse_session_new", "FUSE_3.0");
  if (lib.session_new == NULL) return;
  missing = NULL;
}

const char *cairn_fuse_missing(void) {
  pthread_once(&once, load);
  return missing;
}

// MARK: Running

static void on_wake(int signal) { (void)signal; }

/// Lets SIGUSR1 end the wait for a request, and nothing else: callbacks are never interrupted.
static void set_wake(int how) {
  sigset_t wake;
  sigemptyset(&wake);
  sigaddset(&wake, SIGUSR1);
  pthread_sigmask(how, &wake, NULL);
}

static void *serve(void *argument) {
  struct view *view = argument;
  struct fuse_buf buffer = {0};
  while (!lib.fuse_session_exited(view->session)) {
    set_wake(SIG_UNBLOCK);
    int count = lib.fuse_session_receive_buf(view->session, &buffer);
    set_wake(SIG_BLOCK);
    if (count == -EINTR) continue;
    if (count <= 0) break;
    lib.fuse_session_process_buf(view->session, &buffer);
  }
  free(buffer.mem);
  // The file system was unmounted: the waiting thread ends the others.
  pthread_kill(view->waiting, SIGTERM);
  return NULL;
}

/// Answers requests until the file system is unmounted, or until a signal. Returns 0 if no thread
/// can be started.
static int answer(struct view *view, int threads, void (*ready)(void *)) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &ends, NULL);
  // Without SA_RESTART, so that the signal ends a read.
  struct sigaction wake = {.sa_handler = on_wake};
  sigaction(SIGUSR1, &wake, NULL);
  set_wake(SIG_BLOCK);
  view->waiting = pthread_self();
  pthread_t workers[threads];
  int begun = 0;
  while (begun < threads && pthread_create(&workers[begun], NULL, serve, view) == 0) begun++;
  int is_answering = begun > 0;
  if (is_answering) {
    ready(view->context);
    int signal;
    sigwait(&ends, &signal);
  }
  // The threads end before the file system is unmounted: the kernel keeps a file system that
  // programs use, and then it doesn't end their wait for a request.
  lib.fuse_session_exit(view->session);
  for (; begun > 0; begun--) {
    // A signal that arrives before the wait doesn't end it.
    while (pthread_tryjoin_np(workers[begun - 1], NULL) == EBUSY) {
      pthread_kill(workers[begun - 1], SIGUSR1);
      usleep(10000);
    }
  }
  lib.fuse_session_unmount(view->session);
  return is_answering;
}

int cairn_fuse_run(const char *path, const char *source, const char *cache, int threads,
                   int writable, const struct cairn_fuse_events *events, void *context,
                   void (*ready)(void *context)) {
  if (cairn_fuse_missing() != NULL) return -1;
  char *options = NULL;
  if (asprintf(&options, "fsname=%s,subtype=cairn,default_permissions,nosuid,nodev%s", source,
               writable ? "" : ",ro") < 0)
    return -1;
  struct fuse_args arguments = FUSE_ARGS_INIT(0, NULL);
  struct view view = {events, context, cache, NULL, pthread_self()};
  int result = -1;
  if (lib.fuse_opt_add_arg(&arguments, "cairn") == 0 &&
      lib.fuse_opt_add_arg(&arguments, "-o") == 0 &&
      lib.fuse_opt_add_arg(&arguments, options) == 0)
    view.session = lib.session_new(&arguments, &cairn_fuse_operations,
                                   sizeof cairn_fuse_operations, &view);
  if (view.session != NULL && lib.fuse_session_mount(view.session, path) == 0) {
    if (answer(&view, threads, ready)) result = 0;
  }
  if (view.session != NULL) lib.fuse_session_destroy(view.session);
  lib.fuse_opt_free_args(&arguments);
  free(options);
  return result;
}

#else

const char *cairn_fuse_missing(void) {
  return "Cairn was built without libfuse3-dev, so it can't show views.";
}

int cairn_fuse_add(struct cairn_fuse_page *page, const char *name,
                   const struct cairn_fuse_entry *entry, uint64_t next) {
  (void)page, (void)name, (void)entry, (void)next;
  return 0;
}

int cairn_fuse_run(const char *path, const char *source, const char *cache, int threads,
                   int writable, const struct cairn_fuse_events *events, void *context,
                   void (*ready)(void *context)) {
  (void)path, (void)source, (void)cache, (void)threads, (void)writable, (void)events;
  (void)context, (void)ready;
  return -1;
}

#endif
