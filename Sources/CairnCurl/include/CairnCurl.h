// SPDX-License-Identifier: Apache-2.0
//
// CairnCurl: what Swift can't call of libcurl by itself, since it takes a varying number of
// arguments: many requests at once on one thread, by curl's multi interface. No policy beyond that.

#ifndef CAIRN_CURL_H
#define CAIRN_CURL_H

#include <stddef.h>
#include <stdint.h>

/// Requests under way, and the connections that are kept alive for them. One thread uses it; only
/// `cairn_http_wake` may be called by any.
struct cairn_http;

/// What is asked. All of it is copied.
struct cairn_http_request {
  const char *method;
  const char *url;
  /// Lines `Name: value`, one after the other, each ended by a NUL; an empty one ends them.
  const char *headers;
  /// Whether something is sent, be it empty, and what.
  int has_body;
  const uint8_t *body;
  size_t size;
  /// How long a connection may take to be made, in milliseconds.
  long connect_milliseconds;
  /// After how many seconds without a byte a transfer has failed.
  long stall_seconds;
};

/// What becomes of requests is told by these, on the thread that steps. `context` is the one that
/// the request was added with.
struct cairn_http_events {
  /// A line of the answer's head.
  void (*head)(void *context, const char *line, size_t size);
  /// Bytes of the answer's body; not 0 ends the transfer.
  int (*body)(void *context, const uint8_t *bytes, size_t size);
  /// The request is over. `failure` is 0 if an answer came, which has that status, and curl's
  /// number otherwise; `why` is curl's sentence. `resent` says whether the library has sent it a
  /// second time by itself, since a connection that was kept alive ended before it answered: the
  /// server may have carried it out before.
  void (*over)(void *context, long status, int failure, const char *why, int resent);
};

/// Nothing under way; NULL if there is no libcurl on this machine, or no memory.
struct cairn_http *cairn_http_make(struct cairn_http_events events);

/// Begins a request. Not 0 if there is no memory; then nothing will be told of it.
int cairn_http_add(
    struct cairn_http *http, const struct cairn_http_request *request, void *context);

/// Sends and receives what can be, tells of it, and then waits for more, that many milliseconds at
/// most. Returns how many requests are under way.
int cairn_http_step(struct cairn_http *http, int milliseconds);

/// Ends the wait of `cairn_http_step`, or the next one.
void cairn_http_wake(struct cairn_http *http);

/// A date of HTTP in seconds since 1970; -1 if it is none.
int64_t cairn_http_date(const char *text);

/// Whether that number of curl's says that no byte of the request can have been sent: the name
/// wasn't found, or nothing answered there.
int cairn_http_is_unsent(int failure);

#endif
