// SPDX-License-Identifier: Apache-2.0
#include "CairnDesktop.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>

#define NAME "org.freedesktop.Notifications"
#define OBJECT "/org/freedesktop/Notifications"
/// The time limit to show a notification, in microseconds: its program may have to start.
#define PATIENCE 10000000
#define MANAGER "org.freedesktop.NetworkManager"
#define MANAGER_OBJECT "/org/freedesktop/NetworkManager"
/// The time limit for a question to NetworkManager, in microseconds.
#define METERED_PATIENCE 1000000

struct cairn_desktop {
  sd_bus *bus;
  struct cairn_desktop_events events;
  /// A flag that the capabilities of the notification program are known, and these.
  int is_known, has_actions, has_markup;
};

// The library is opened for the first notification. Most daemons never show one.
#define NEEDED(X)                                                                                \
  X(sd_bus_open_system)                                                                          \
  X(sd_bus_set_method_call_timeout)                                                              \
  X(sd_bus_get_property_trivial)                                                                 \
  X(sd_bus_open_user)                                                                            \
  X(sd_bus_flush_close_unref)                                                                    \
  X(sd_bus_call)                                                                                 \
  X(sd_bus_call_method)                                                                          \
  X(sd_bus_error_free)                                                                           \
  X(sd_bus_get_fd)                                                                               \
  X(sd_bus_match_signal)                                                                         \
  X(sd_bus_message_append)                                                                       \
  X(sd_bus_message_append_strv)                                                                  \
  X(sd_bus_message_new_method_call)                                                              \
  X(sd_bus_message_read)                                                                         \
  X(sd_bus_message_read_strv)                                                                    \
  X(sd_bus_message_unref)                                                                        \
  X(sd_bus_process)

#define MEMBER(name) __typeof__(&name) name;
static struct {
  NEEDED(MEMBER)
} lib;
static int is_open;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void begin(void) {
  void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
#define FIND(name)                                                                               \
  *(void **)&lib.name = dlsym(library, #name);                                                   \
  if (lib.name == NULL) return;
  NEEDED(FIND)
  is_open = 1;
}

static int take_chosen(sd_bus_message *message, void *raw, sd_bus_error *error) {
  (void)error;
  struct cairn_desktop *desktop = raw;
  uint32_t notice;
  const char *action;
  if (lib.sd_bus_message_read(message, "us", &notice, &action) >= 0) {
    desktop->events.chosen(desktop->events.context, notice);
  }
  return 0;
}

static int take_closed(sd_bus_message *message, void *raw, sd_bus_error *error) {
  (void)error;
  struct cairn_desktop *desktop = raw;
  uint32_t notice, reason;
  if (lib.sd_bus_message_read(message, "uu", &notice, &reason) >= 0) {
    desktop->events.closed(desktop->events.context, notice);
  }
  return 0;
}

struct cairn_desktop *cairn_desktop_open(struct cairn_desktop_events events) {
  pthread_once(&once, begin);
  if (!is_open) return NULL;
  struct cairn_desktop *desktop = calloc(1, sizeof *desktop);
  if (desktop == NULL) return NULL;
  desktop->events = events;
  if (lib.sd_bus_open_user(&desktop->bus) < 0) {
    free(desktop);
    return NULL;
  }
  int first = lib.sd_bus_match_signal(
      desktop->bus, NULL, NAME, OBJECT, NAME, "ActionInvoked", take_chosen, desktop);
  int second = lib.sd_bus_match_signal(
      desktop->bus, NULL, NAME, OBJECT, NAME, "NotificationClosed", take_closed, desktop);
  if (first < 0 || second < 0) {
    cairn_desktop_close(desktop);
    return NULL;
  }
  return desktop;
}

static void ask(struct cairn_desktop *desktop) {
  if (desktop->is_known) return;
  sd_bus_error error = SD_BUS_ERROR_NULL;
  sd_bus_message *reply = NULL;
  char **words = NULL;
  if (lib.sd_bus_call_method(
          desktop->bus, NAME, OBJECT, NAME, "GetCapabilities", &error, &reply, "") >= 0 &&
      lib.sd_bus_message_read_strv(reply, &words) >= 0) {
    desktop->is_known = 1;
    for (char **word = words; word != NULL && *word != NULL; word++) {
      if (strcmp(*word, "actions") == 0) desktop->has_actions = 1;
      if (strcmp(*word, "body-markup") == 0) desktop->has_markup = 1;
      free(*word);
    }
    free(words);
  }
  lib.sd_bus_message_unref(reply);
  lib.sd_bus_error_free(&error);
}

/// Escapes the text so that no part of it is markup.
static char *plain(const char *text) {
  char *result = malloc(5 * strlen(text) + 1), *end = result;
  if (result == NULL) return NULL;
  for (; *text != 0; text++) {
    const char *form = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : "";
    if (*form == 0) *end++ = *text;
    size_t size = strlen(form);
    memcpy(end, form, size);
    end += size;
  }
  *end = 0;
  return result;
}

uint32_t cairn_desktop_show(
    struct cairn_desktop *desktop, const char *title, const char *text, const char *label) {
  ask(desktop);
  sd_bus_error error = SD_BUS_ERROR_NULL;
  sd_bus_message *call = NULL, *reply = NULL;
  uint32_t notice = 0;
  char *escaped = desktop->has_markup ? plain(text) : strdup(text);
  char *actions[] = {"default", (char *)label, "show", (char *)label, NULL};
  if (!desktop->has_actions) actions[0] = NULL;
  if (escaped != NULL &&
      lib.sd_bus_message_new_method_call(desktop->bus, &call, NAME, OBJECT, NAME, "Notify") >= 0 &&
      lib.sd_bus_message_append(call, "susss", "Cairn", 0u, "cairn", title, escaped) >= 0 &&
      lib.sd_bus_message_append_strv(call, actions) >= 0 &&
      lib.sd_bus_message_append(
          call, "a{sv}i", 2, "urgency", "y", 1, "desktop-entry", "s", "cairn", -1) >= 0 &&
      lib.sd_bus_call(desktop->bus, call, PATIENCE, &error, &reply) >= 0) {
    if (lib.sd_bus_message_read(reply, "u", &notice) < 0) notice = 0;
  }
  lib.sd_bus_message_unref(call);
  lib.sd_bus_message_unref(reply);
  lib.sd_bus_error_free(&error);
  free(escaped);
  return notice;
}

int cairn_desktop_descriptor(struct cairn_desktop *desktop) {
  return lib.sd_bus_get_fd(desktop->bus);
}

int cairn_desktop_take(struct cairn_desktop *desktop) {
  int more;
  do more = lib.sd_bus_process(desktop->bus, NULL);
  while (more > 0);
  return more < 0;
}

void cairn_desktop_close(struct cairn_desktop *desktop) {
  lib.sd_bus_flush_close_unref(desktop->bus);
  free(desktop);
}

int cairn_desktop_metered(void) {
  pthread_once(&once, begin);
  if (!is_open) return -1;
  sd_bus *bus = NULL;
  if (lib.sd_bus_open_system(&bus) < 0) return -1;
  sd_bus_error error = SD_BUS_ERROR_NULL;
  uint32_t metered = 0;
  int result = lib.sd_bus_set_method_call_timeout(bus, METERED_PATIENCE);
  if (result >= 0) {
    result = lib.sd_bus_get_property_trivial(
        bus, MANAGER, MANAGER_OBJECT, MANAGER, "Metered", &error, 'u', &metered);
  }
  lib.sd_bus_error_free(&error);
  lib.sd_bus_flush_close_unref(bus);
  // 1 is yes, 3 a guess that it is; 0 is unknown, 2 and 4 are no.
  return result < 0 ? -1 : metered == 1 || metered == 3;
}
