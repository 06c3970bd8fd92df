// The kernel's word on links, addresses and routes (rtnetlink(7)).
#pragma once
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/// A non-blocking socket that hears of every change of links, addresses and routes; -1 on failure.
static inline int clinux_network_changes(void) {
  int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (fd < 0) return -1;
  struct sockaddr_nl at;
  memset(&at, 0, sizeof at);
  at.nl_family = AF_NETLINK;
  at.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE;
  if (bind(fd, (struct sockaddr *)&at, sizeof at) == 0) return fd;
  close(fd);
  return -1;
}

/// Reads all that waits; 1 when something new is there (a link, an address, a route), 0 when things only went, or nothing was said.
/// Messages that were lost count as something new.
static inline int clinux_network_has_come(int fd) {
  char buffer[8192];
  int has_come = 0;
  for (;;) {
    ssize_t size = recv(fd, buffer, sizeof buffer, 0);
    if (size < 0) return has_come || errno == ENOBUFS;
    if (size == 0) return has_come;
    unsigned left = (unsigned)size;
    for (struct nlmsghdr *m = (struct nlmsghdr *)buffer; NLMSG_OK(m, left); m = NLMSG_NEXT(m, left)) {
      if (m->nlmsg_type == RTM_NEWLINK || m->nlmsg_type == RTM_NEWADDR || m->nlmsg_type == RTM_NEWROUTE) has_come = 1;
    }
  }
}
