// SPDX-License-Identifier: Apache-2.0
//
// CairnDesktop: notices of a desktop, by the freedesktop interface on the session bus, which
// libsystemd speaks with functions that Swift can't call. No policy beyond that.

#ifndef CAIRN_DESKTOP_H
#define CAIRN_DESKTOP_H

#include <stdint.h>

/// A connection to the session bus. One thread at a time uses it.
struct cairn_desktop;

/// What becomes of notices is told by these, within `cairn_desktop_take`.
struct cairn_desktop_events {
  void *context;
  /// Somebody chose the notice's action, or the notice itself.
  void (*chosen)(void *context, uint32_t notice);
  /// The notice isn't shown any more.
  void (*closed)(void *context, uint32_t notice);
};

/// Connects to the bus of this session. NULL if there is none, or no libsystemd on this machine.
struct cairn_desktop *cairn_desktop_open(struct cairn_desktop_events events);

/// Shows a notice with one action, of that label, and waits for its number, some seconds at most.
/// 0 if there is nobody who shows any.
uint32_t cairn_desktop_show(
    struct cairn_desktop *desktop, const char *title, const char *text, const char *label);

/// What becomes readable when something came.
int cairn_desktop_descriptor(struct cairn_desktop *desktop);

/// Tells what came, and doesn't wait for more. Not 0 if the bus has gone.
int cairn_desktop_take(struct cairn_desktop *desktop);

/// Ends the connection; what was shown stays.
void cairn_desktop_close(struct cairn_desktop *desktop);

#endif
