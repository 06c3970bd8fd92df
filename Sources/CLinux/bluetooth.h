// L2CAP sockets as the kernel has them (net/bluetooth); Linux ships no public header, and libbluetooth is not worth linking for it.
#pragma once
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct clinux_sockaddr_l2 {
  uint16_t family;
  uint16_t psm;  // little-endian
  uint8_t address[6];  // last octet first
  uint16_t cid;
  uint8_t address_type;
};

struct clinux_l2cap_options {
  uint16_t omtu;
  uint16_t imtu;
  uint16_t flush_to;
  uint8_t mode;
  uint8_t fcs;
  uint8_t max_tx;
  uint16_t txwin_size;
};

enum {
  clinux_af_bluetooth = 31,
  clinux_sol_l2cap = 6,
  clinux_l2cap_options_name = 1,
  clinux_l2cap_mode_ertm = 3,
  clinux_sol_bluetooth = 274,
  clinux_bt_security = 4,
  clinux_bt_security_medium = 2,
};

/// A sequenced-packet L2CAP socket bound to `local` (last octet first; all zero: any adapter) and `psm` (0: none) in enhanced
/// retransmission mode, as the browsing channel must be; security medium, non-blocking, close-on-exec. -1 with errno on failure;
/// `step` then names what failed.
static inline int clinux_l2cap_ertm_socket(const uint8_t *local, uint16_t psm, uint16_t imtu, const char **step) {
  *step = "socket";
  int fd = socket(clinux_af_bluetooth, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  struct clinux_sockaddr_l2 at;
  memset(&at, 0, sizeof at);
  at.family = clinux_af_bluetooth;
  at.psm = psm;
  memcpy(at.address, local, 6);
  struct clinux_l2cap_options options;
  memset(&options, 0, sizeof options);
  socklen_t size = sizeof options;
  struct { uint8_t level, key_size; } security = {clinux_bt_security_medium, 0};
  *step = "bind";
  if (bind(fd, (struct sockaddr *)&at, sizeof at) == 0) {
    *step = "enhanced retransmission mode";
    if (getsockopt(fd, clinux_sol_l2cap, clinux_l2cap_options_name, &options, &size) == 0) {
      options.mode = clinux_l2cap_mode_ertm;
      options.imtu = imtu;
      if (setsockopt(fd, clinux_sol_l2cap, clinux_l2cap_options_name, &options, sizeof options) == 0) {
        *step = "security";
        if (setsockopt(fd, clinux_sol_bluetooth, clinux_bt_security, &security, sizeof security) == 0) return fd;
      }
    }
  }
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}

/// Starts connecting to `remote` (last octet first); 0 or EINPROGRESS in errno: wait until writable.
static inline int clinux_l2cap_connect(int fd, const uint8_t *remote, uint16_t psm) {
  struct clinux_sockaddr_l2 to;
  memset(&to, 0, sizeof to);
  to.family = clinux_af_bluetooth;
  to.psm = psm;
  memcpy(to.address, remote, 6);
  return connect(fd, (struct sockaddr *)&to, sizeof to);
}

/// Takes a waiting connection; `remote` gets the peer's address, last octet first.
static inline int clinux_l2cap_accept(int fd, uint8_t *remote) {
  struct clinux_sockaddr_l2 from;
  socklen_t size = sizeof from;
  int peer = accept4(fd, (struct sockaddr *)&from, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (peer >= 0) memcpy(remote, from.address, 6);
  return peer;
}

/// What both sides agreed on; 0 on success.
static inline int clinux_l2cap_mtus(int fd, uint16_t *imtu, uint16_t *omtu) {
  struct clinux_l2cap_options options;
  socklen_t size = sizeof options;
  if (getsockopt(fd, clinux_sol_l2cap, clinux_l2cap_options_name, &options, &size) < 0) return -1;
  *imtu = options.imtu;
  *omtu = options.omtu;
  return 0;
}
