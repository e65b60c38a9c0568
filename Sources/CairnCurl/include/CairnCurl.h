// SPDX-License-Identifier: Apache-2.0
//
// CairnCurl: the variadic functions of libcurl that Swift cannot call: many requests at once on
// one thread, by curl's multi interface. No policy beyond that.

#ifndef CAIRN_CURL_H
#define CAIRN_CURL_H

#include <stddef.h>
#include <stdint.h>

/// The active requests, and their kept connections. One thread uses it. Only `cairn_http_wake` may
/// be called by any thread.
struct cairn_http;

/// A request. All of it is copied; the body is taken by a callback.
struct cairn_http_request {
  const char *method;
  const char *url;
  /// Lines `Name: value`, each terminated by a NUL. An empty line ends them.
  const char *headers;
  /// A flag for a body, even an empty one, and its size.
  int has_body;
  size_t size;
  /// The time limit for a new connection, in milliseconds.
  long connect_milliseconds;
  /// The number of seconds without a byte after which a transfer fails.
  long stall_seconds;
};

/// The callbacks for events of requests, on the thread that steps. `context` is the value from
/// `cairn_http_add`.
struct cairn_http_events {
  /// Receives a line of the answer's head.
  void (*head)(void *context, const char *line, size_t size);
  /// Receives bytes of the answer's body. A nonzero result ends the transfer.
  int (*body)(void *context, const uint8_t *bytes, size_t size);
  /// Copies `count` bytes of the request's body, from an offset on, to `room`.
  void (*give)(void *context, uint8_t *room, size_t offset, size_t count);
  /// Asked several times a second while a request is active. A nonzero result aborts it.
  int (*is_withdrawn)(void *context);
  /// The request ended. `failure` is 0 if an answer came with that status; otherwise it is curl's
  /// number, and `why` is curl's sentence. `resent` is nonzero if the library sent the request
  /// twice, because a kept connection ended before the answer. The server may have executed the
  /// first one.
  void (*over)(void *context, long status, int failure, const char *why, int resent);
};

/// Creates a state without requests. NULL if there is no libcurl on this machine, or no memory.
struct cairn_http *cairn_http_make(struct cairn_http_events events);

/// Starts a request. Nonzero if there is no memory; then no callback is called for it.
int cairn_http_add(
    struct cairn_http *http, const struct cairn_http_request *request, void *context);

/// Sends and receives, calls the callbacks, then waits for more, at most `milliseconds`. Returns
/// the number of active requests.
int cairn_http_step(struct cairn_http *http, int milliseconds);

/// Ends the wait of `cairn_http_step`, or the next one.
void cairn_http_wake(struct cairn_http *http);

/// Parses a date of HTTP into seconds since 1970; -1 if it is invalid.
int64_t cairn_http_date(const char *text);

/// Nonzero if curl's failure number proves that no byte of the request was sent: the host name
/// was not found, or there was no connection.
int cairn_http_is_unsent(int failure);

#endif
