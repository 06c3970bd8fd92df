// Descriptors over a Unix socket: the control-message macros are not imported by Swift.
#pragma once
#include <string.h>
#include <sys/socket.h>

/// Sends one byte with `fd` attached; 0 on success.
static inline int clinux_send_descriptor(int through, int fd) {
  char byte = 'd';
  struct iovec part = {&byte, 1};
  union { struct cmsghdr header; char space[CMSG_SPACE(sizeof(int))]; } control;
  memset(&control, 0, sizeof control);
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(header), &fd, sizeof(int));
  return sendmsg(through, &message, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

/// The descriptor that came with the next byte (close-on-exec), or -1: none came.
static inline int clinux_receive_descriptor(int through) {
  char byte;
  struct iovec part = {&byte, 1};
  union { struct cmsghdr header; char space[CMSG_SPACE(sizeof(int))]; } control;
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  if (recvmsg(through, &message, MSG_CMSG_CLOEXEC) != 1) return -1;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) return -1;
  int fd;
  memcpy(&fd, CMSG_DATA(header), sizeof fd);
  return fd;
}
