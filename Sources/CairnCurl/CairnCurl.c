// SPDX-License-Identifier: Apache-2.0
#include "CairnCurl.h"

// The argument checks are macros named like the functions, and these names are members here.
#define CURL_DISABLE_TYPECHECK

#include <curl/curl.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST_CONNECTIONS 32

struct cairn_http {
  CURLM *multi;
  struct cairn_http_events events;
  // The open connections. A connection without a slot works without `acknowledge`.
  int sockets[2 * MOST_CONNECTIONS];
  int socket_count;
};

/// One active request.
struct transfer {
  struct cairn_http *http;
  void *context;
  struct curl_slist *headers;
  size_t size, sent;
  int resent;
  char why[CURL_ERROR_SIZE];
};

// The library is opened on first use. It loads thirty other libraries, which would slow down each
// start of a daemon whose container is a directory.
#define NEEDED(X)                                                                                \
  X(curl_global_init)                                                                            \
  X(curl_easy_init)                                                                              \
  X(curl_easy_setopt)                                                                            \
  X(curl_easy_getinfo)                                                                           \
  X(curl_easy_strerror)                                                                          \
  X(curl_easy_cleanup)                                                                           \
  X(curl_slist_append)                                                                           \
  X(curl_slist_free_all)                                                                         \
  X(curl_multi_init)                                                                             \
  X(curl_multi_setopt)                                                                           \
  X(curl_multi_add_handle)                                                                       \
  X(curl_multi_remove_handle)                                                                    \
  X(curl_multi_perform)                                                                          \
  X(curl_multi_info_read)                                                                        \
  X(curl_multi_poll)                                                                             \
  X(curl_multi_wakeup)                                                                           \
  X(curl_multi_cleanup)                                                                          \
  X(curl_getdate)

#define MEMBER(name) __typeof__(&name) name;
static struct {
  NEEDED(MEMBER)
} curl;
static int is_open;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void begin(void) {
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
#define FIND(name)                                                                               \
  *(void **)&curl.name = dlsym(library, #name);                                                  \
  if (curl.name == NULL) return;
  NEEDED(FIND)
  is_open = curl.curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

static void forget(struct transfer *transfer) {
  curl.curl_slist_free_all(transfer->headers);
  free(transfer);
}

static size_t take_head(char *line, size_t one, size_t size, void *raw) {
  struct transfer *transfer = raw;
  transfer->http->events.head(transfer->context, line, one * size);
  return one * size;
}

static size_t take_body(char *bytes, size_t one, size_t size, void *raw) {
  struct transfer *transfer = raw;
  int isEnough =
      transfer->http->events.body(transfer->context, (const uint8_t *)bytes, one * size);
  return isEnough ? 0 : one * size;
}

static int take_progress(void *raw, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
  (void)a, (void)b, (void)c, (void)d;
  struct transfer *transfer = raw;
  return transfer->http->events.is_withdrawn(transfer->context);
}

static size_t give_body(char *room, size_t one, size_t size, void *raw) {
  struct transfer *transfer = raw;
  size_t count = transfer->size - transfer->sent;
  if (count > one * size) count = one * size;
  transfer->http->events.give(transfer->context, (uint8_t *)room, transfer->sent, count);
  transfer->sent += count;
  return count;
}

// A kept connection may be dead: then the body is sent again.
static int seek_body(void *raw, curl_off_t offset, int origin) {
  struct transfer *transfer = raw;
  if (origin != SEEK_SET || offset < 0 || (size_t)offset > transfer->size) {
    return CURL_SEEKFUNC_CANTSEEK;
  }
  if (transfer->sent > (size_t)offset) transfer->resent = 1;
  transfer->sent = (size_t)offset;
  return CURL_SEEKFUNC_OK;
}

static curl_socket_t open_socket(void *raw, curlsocktype purpose, struct curl_sockaddr *address) {
  (void)purpose;
  struct cairn_http *http = raw;
  int file = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (file < 0) return CURL_SOCKET_BAD;
  if (http->socket_count < 2 * MOST_CONNECTIONS) http->sockets[http->socket_count++] = file;
  return file;
}

static int close_socket(void *raw, curl_socket_t file) {
  struct cairn_http *http = raw;
  for (int i = 0; i < http->socket_count; i++) {
    if (http->sockets[i] == file) http->sockets[i] = http->sockets[--http->socket_count];
  }
  return close(file);
}

// Acknowledges received data at once. A server with Nagle's algorithm, like Ceph's gateway, holds
// back the last piece of an answer until then, and the kernel would acknowledge 40 ms later. The
// kernel resets this option by itself, so it is set each time.
static void acknowledge(const struct cairn_http *http) {
  int yes = 1;
  for (int i = 0; i < http->socket_count; i++) {
    setsockopt(http->sockets[i], IPPROTO_TCP, TCP_QUICKACK, &yes, sizeof yes);
  }
}

struct cairn_http *cairn_http_make(struct cairn_http_events events) {
  pthread_once(&once, begin);
  if (!is_open) return NULL;
  struct cairn_http *http = calloc(1, sizeof *http);
  if (http == NULL) return NULL;
  http->events = events;
  http->multi = curl.curl_multi_init();
  if (http->multi == NULL) {
    free(http);
    return NULL;
  }
  curl.curl_multi_setopt(http->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
  curl.curl_multi_setopt(http->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)MOST_CONNECTIONS);
  curl.curl_multi_setopt(http->multi, CURLMOPT_MAXCONNECTS, (long)MOST_CONNECTIONS);
  return http;
}

static int take_request(
    struct transfer *transfer, const struct cairn_http_request *request) {
  for (const char *line = request->headers; *line != 0; line += strlen(line) + 1) {
    struct curl_slist *longer = curl.curl_slist_append(transfer->headers, line);
    if (longer == NULL) return -1;
    transfer->headers = longer;
  }
  if (!request->has_body) return 0;
  transfer->size = request->size;
  return 0;
}

int cairn_http_add(
    struct cairn_http *http, const struct cairn_http_request *request, void *context) {
  struct transfer *transfer = calloc(1, sizeof *transfer);
  CURL *easy = curl.curl_easy_init();
  if (transfer == NULL || easy == NULL || take_request(transfer, request) != 0) {
    if (transfer != NULL) forget(transfer);
    if (easy != NULL) curl.curl_easy_cleanup(easy);
    return -1;
  }
  transfer->http = http;
  transfer->context = context;
  curl.curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
  curl.curl_easy_setopt(easy, CURLOPT_URL, request->url);
  curl.curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  // The signed path must be sent unchanged.
  curl.curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl.curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl.curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl.curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer->headers);
  curl.curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->why);
  curl.curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_head);
  curl.curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
  curl.curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
  curl.curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
  curl.curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  curl.curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, take_progress);
  curl.curl_easy_setopt(easy, CURLOPT_XFERINFODATA, transfer);
  curl.curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, request->connect_milliseconds);
  curl.curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl.curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, request->stall_seconds);
  curl.curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  curl.curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, http);
  curl.curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
  curl.curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, http);
  curl.curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
  curl.curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  if (request->has_body) {
    curl.curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    curl.curl_easy_setopt(easy, CURLOPT_READFUNCTION, give_body);
    curl.curl_easy_setopt(easy, CURLOPT_READDATA, transfer);
    curl.curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek_body);
    curl.curl_easy_setopt(easy, CURLOPT_SEEKDATA, transfer);
    curl.curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)transfer->size);
  } else if (strcmp(request->method, "HEAD") == 0) {
    curl.curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  }
  curl.curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method);
  if (curl.curl_multi_add_handle(http->multi, easy) != CURLM_OK) {
    forget(transfer);
    curl.curl_easy_cleanup(easy);
    return -1;
  }
  return 0;
}

static void tell(struct cairn_http *http, CURL *easy, CURLcode failure) {
  struct transfer *transfer = NULL;
  long status = 0;
  curl.curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&transfer);
  curl.curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  curl.curl_multi_remove_handle(http->multi, easy);
  const char *why = transfer->why[0] != 0 ? transfer->why : curl.curl_easy_strerror(failure);
  // A request without bytes has no body callback.
  int resent = transfer->resent || transfer->size == 0;
  http->events.over(transfer->context, status, (int)failure, why, resent);
  curl.curl_easy_cleanup(easy);
  forget(transfer);
}

int cairn_http_step(struct cairn_http *http, int milliseconds) {
  int running = 0, left = 0;
  curl.curl_multi_perform(http->multi, &running);
  CURLMsg *message;
  while ((message = curl.curl_multi_info_read(http->multi, &left)) != NULL) {
    if (message->msg == CURLMSG_DONE) tell(http, message->easy_handle, message->data.result);
  }
  if (running > 0) acknowledge(http);
  curl.curl_multi_poll(http->multi, NULL, 0, milliseconds, NULL);
  return running;
}

void cairn_http_wake(struct cairn_http *http) { curl.curl_multi_wakeup(http->multi); }

int64_t cairn_http_date(const char *text) {
  pthread_once(&once, begin);
  return is_open ? (int64_t)curl.curl_getdate(text, NULL) : -1;
}

int cairn_http_is_unsent(int failure) {
  return failure == CURLE_COULDNT_RESOLVE_HOST || failure == CURLE_COULDNT_RESOLVE_PROXY ||
         failure == CURLE_COULDNT_CONNECT || failure == CURLE_SSL_CONNECT_ERROR ||
         failure == CURLE_PEER_FAILED_VERIFICATION;
}
