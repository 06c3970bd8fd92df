// libmicrohttpd, loaded at its first use: see README.md. These functions stand in for its own by the same names; each goes to the real
// one. Where there is no libmicrohttpd no server starts, and nothing else of it is ever called.
#include <dlfcn.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdio.h>

static void *library;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  library = dlopen("libmicrohttpd.so.12", RTLD_LAZY | RTLD_LOCAL);
  if (!library) fprintf(stderr, "libmicrohttpd cannot be loaded: %s\n", dlerror());
}

static void *find(const char *name) {
  pthread_once(&once, load);
  return library ? dlsym(library, name) : NULL;
}

// The real function by the name of the one it stands in; looked up once (twice at worst, by two threads, with the same answer).
#define REAL(name) \
  static __typeof__(name) *real; \
  if (!__atomic_load_n(&real, __ATOMIC_ACQUIRE)) __atomic_store_n(&real, (__typeof__(name) *)find(#name), __ATOMIC_RELEASE)

struct MHD_Daemon *cmhd_start(
    int listener, unsigned int idle, unsigned int connections, MHD_AccessHandlerCallback handler,
    MHD_RequestCompletedCallback completed, void *context) {
  REAL(MHD_start_daemon);
  if (!real) return NULL;
  return real(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC, 0, NULL,
      NULL, handler, context, MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
      MHD_OPTION_CONNECTION_TIMEOUT, idle, MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_STRICT_FOR_CLIENT, 0,
      MHD_OPTION_END);
}

int cmhd_socket(struct MHD_Connection *connection) {
  REAL(MHD_get_connection_info);
  const union MHD_ConnectionInfo *info = real ? real(connection, MHD_CONNECTION_INFO_CONNECTION_FD) : NULL;
  return info ? info->connect_fd : -1;
}

void MHD_stop_daemon(struct MHD_Daemon *daemon) {
  REAL(MHD_stop_daemon);
  if (real) real(daemon);
}

enum MHD_Result MHD_add_response_header(struct MHD_Response *response, const char *header, const char *content) {
  REAL(MHD_add_response_header);
  return real ? real(response, header, content) : MHD_NO;
}

struct MHD_Response *MHD_create_response_from_buffer(size_t size, void *buffer, enum MHD_ResponseMemoryMode mode) {
  REAL(MHD_create_response_from_buffer);
  return real ? real(size, buffer, mode) : NULL;
}

struct MHD_Response *MHD_create_response_from_callback(
    uint64_t size, size_t block, MHD_ContentReaderCallback reader, void *context, MHD_ContentReaderFreeCallback release) {
  REAL(MHD_create_response_from_callback);
  return real ? real(size, block, reader, context, release) : NULL;
}

struct MHD_Response *MHD_create_response_from_fd_at_offset64(uint64_t size, int file, uint64_t offset) {
  REAL(MHD_create_response_from_fd_at_offset64);
  return real ? real(size, file, offset) : NULL;
}

void MHD_destroy_response(struct MHD_Response *response) {
  REAL(MHD_destroy_response);
  if (real) real(response);
}

int MHD_get_connection_values(
    struct MHD_Connection *connection, enum MHD_ValueKind kind, MHD_KeyValueIterator iterator, void *context) {
  REAL(MHD_get_connection_values);
  return real ? real(connection, kind, iterator, context) : 0;
}

enum MHD_Result MHD_queue_response(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
  REAL(MHD_queue_response);
  return real ? real(connection, status, response) : MHD_NO;
}

void MHD_suspend_connection(struct MHD_Connection *connection) {
  REAL(MHD_suspend_connection);
  if (real) real(connection);
}

void MHD_resume_connection(struct MHD_Connection *connection) {
  REAL(MHD_resume_connection);
  if (real) real(connection);
}
