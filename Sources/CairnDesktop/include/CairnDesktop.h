// SPDX-License-Identifier: Apache-2.0
//
// CairnDesktop: desktop notifications by the freedesktop interface on the session bus, and the
// state of the connection by NetworkManager on the system bus, through functions of libsystemd that
// Swift cannot call. No policy beyond that.

#ifndef CAIRN_DESKTOP_H
#define CAIRN_DESKTOP_H

#include <stdint.h>

/// A connection to the session bus. One thread at a time uses it.
struct cairn_desktop;

/// The callbacks for events of notifications. `cairn_desktop_take` calls them.
struct cairn_desktop_events {
  void *context;
  /// The person chose the action, or the notification itself.
  void (*chosen)(void *context, uint32_t notice);
  /// The notification was closed.
  void (*closed)(void *context, uint32_t notice);
};

/// Connects to the bus of this session. NULL without a bus or libsystemd on this machine.
struct cairn_desktop *cairn_desktop_open(struct cairn_desktop_events events);

/// Shows a notification with one action and its label, and waits a few seconds for its number.
/// 0 if no program shows notifications.
uint32_t cairn_desktop_show(
    struct cairn_desktop *desktop, const char *title, const char *text, const char *label);

/// The descriptor that becomes readable when a message arrives.
int cairn_desktop_descriptor(struct cairn_desktop *desktop);

/// Handles received messages without waiting. Nonzero if the bus connection ended.
int cairn_desktop_take(struct cairn_desktop *desktop);

/// Asks NetworkManager on the system bus whether the connection is metered, and waits up to a
/// second. 1 if it is, or probably is; 0 if it isn't, or that is unknown; -1 without a bus,
/// NetworkManager or libsystemd.
int cairn_desktop_metered(void);

/// Closes the connection. Notifications stay on the screen.
void cairn_desktop_close(struct cairn_desktop *desktop);

#endif
