// libmicrohttpd as it is, and small doors to its variadic calls. Loaded at its first use: see CMicrohttpdLoader.
#pragma once
#include <microhttpd.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/// Starts serving on a socket that already listens, with one epoll thread that sleeps while nothing comes. NULL: it cannot.
/// `idle` is in seconds; 0 keeps idle connections for ever. In CMicrohttpdLoader, as is the next one.
struct MHD_Daemon *cmhd_start(
    int listener, unsigned int idle, unsigned int connections, MHD_AccessHandlerCallback handler,
    MHD_RequestCompletedCallback completed, void *context);

/// The connection's socket, or -1.
int cmhd_socket(struct MHD_Connection *connection);

/// Bytes the peer's kernel has taken from this socket so far (struct tcp_info's tcpi_bytes_acked, Linux 4.1 and later),
/// and, where `queued`, those that wait in ours. linux/tcp.h is not included: it and netinet/tcp.h exclude each other.
static inline uint64_t cmhd_bytes_sent(int socket, int queued) {
  unsigned char info[232];
  socklen_t length = sizeof info;
  uint64_t acknowledged = 0;
  int waiting = 0;
  if (socket < 0 || getsockopt(socket, 6 /* IPPROTO_TCP */, 11 /* TCP_INFO */, info, &length) != 0 || length < 128) return 0;
  memcpy(&acknowledged, info + 120, sizeof acknowledged);
  if (queued && ioctl(socket, 0x5411 /* SIOCOUTQ */, &waiting) == 0 && waiting > 0) acknowledged += (uint64_t)waiting;
  return acknowledged;
}

/// What a content reader returns at its end; a cast in the header, which Swift does not import.
static const intptr_t cmhd_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;

/// The size of what ends when it ends.
static const uint64_t cmhd_size_unknown = UINT64_MAX;
