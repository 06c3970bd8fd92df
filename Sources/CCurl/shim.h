#pragma once
#include <curl/curl.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

// curl's setters are variadic, which Swift refuses: one wrapper for each kind of argument.
static inline CURLcode ccurl_set_long(CURL *h, CURLoption o, long v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode ccurl_set_off(CURL *h, CURLoption o, curl_off_t v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode ccurl_set_string(CURL *h, CURLoption o, const char *v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode ccurl_set_pointer(CURL *h, CURLoption o, void *v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode ccurl_set_list(CURL *h, CURLoption o, struct curl_slist *v) { return curl_easy_setopt(h, o, v); }
typedef size_t (*ccurl_data_callback)(char *, size_t, size_t, void *);
static inline CURLcode ccurl_set_data_callback(CURL *h, CURLoption o, ccurl_data_callback v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode ccurl_set_sockopt_callback(CURL *h, curl_sockopt_callback v) { return curl_easy_setopt(h, CURLOPT_SOCKOPTFUNCTION, v); }
static inline CURLMcode ccurl_multi_set_long(CURLM *m, CURLMoption o, long v) { return curl_multi_setopt(m, o, v); }
static inline CURLMcode ccurl_multi_set_pointer(CURLM *m, CURLMoption o, void *v) { return curl_multi_setopt(m, o, v); }
static inline CURLMcode ccurl_multi_set_socket_callback(CURLM *m, curl_socket_callback v) { return curl_multi_setopt(m, CURLMOPT_SOCKETFUNCTION, v); }
static inline CURLMcode ccurl_multi_set_timer_callback(CURLM *m, curl_multi_timer_callback v) { return curl_multi_setopt(m, CURLMOPT_TIMERFUNCTION, v); }
static inline CURLcode ccurl_get_long(CURL *h, CURLINFO i, long *v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode ccurl_get_off(CURL *h, CURLINFO i, curl_off_t *v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode ccurl_get_string(CURL *h, CURLINFO i, char **v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode ccurl_get_pointer(CURL *h, CURLINFO i, void **v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode ccurl_get_list(CURL *h, CURLINFO i, struct curl_slist **v) { return curl_easy_getinfo(h, i, v); }

/// What a message of the multi handle says of a finished transfer (the result sits in a union).
static inline CURLcode ccurl_message_result(const CURLMsg *m) { return m->data.result; }

// All of curl's sockets stand in one epoll set, whose descriptor alone a thread watches: adding and removing is then synchronous,
// and a socket number that curl closes and gets again at once cannot be mistaken for the old one.
static inline int ccurl_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

/// `wanted` is curl's CURL_POLL_*; 0 on success.
static inline int ccurl_epoll_set(int set, int fd, int wanted, int is_new) {
  struct epoll_event event = {0};
  event.data.fd = fd;
  if (wanted & CURL_POLL_IN) event.events |= EPOLLIN;
  if (wanted & CURL_POLL_OUT) event.events |= EPOLLOUT;
  return epoll_ctl(set, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event);
}

static inline void ccurl_epoll_remove(int set, int fd) { epoll_ctl(set, EPOLL_CTL_DEL, fd, (void *)0); }

/// Has `set` tell of `fd` once, when it can be read. 0 on success.
static inline int ccurl_epoll_once(int set, int fd, int is_new) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = fd};
  return epoll_ctl(set, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event);
}

/// Until something in `set` is ready. -1 on failure, with `errno`.
static inline int ccurl_epoll_wait(int set) {
  struct epoll_event event;
  return epoll_wait(set, &event, 1, -1);
}

/// Fills `fds` and `masks` (CURL_CSELECT_*) with what is ready now; how many, at most 16.
static inline int ccurl_epoll_ready(int set, int *fds, int *masks) {
  struct epoll_event events[16];
  int count = epoll_wait(set, events, 16, 0);
  for (int i = 0; i < count; i++) {
    fds[i] = events[i].data.fd;
    masks[i] = 0;
    if (events[i].events & (EPOLLIN | EPOLLHUP)) masks[i] |= CURL_CSELECT_IN;
    if (events[i].events & EPOLLOUT) masks[i] |= CURL_CSELECT_OUT;
    if (events[i].events & EPOLLERR) masks[i] |= CURL_CSELECT_ERR;
  }
  return count;
}

/// Bounds what the kernel takes in while the reader pauses; 0 leaves it to the kernel.
static inline void ccurl_limit_receive_buffer(int fd, int bytes) {
  if (bytes > 0) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

/// Marks the packets as lower effort (RFC 8622) for queues that heed it.
static inline void ccurl_lower_effort(int fd) {
  int mark = 1 << 2;
  setsockopt(fd, IPPROTO_IP, IP_TOS, &mark, sizeof mark);
  setsockopt(fd, IPPROTO_IPV6, IPV6_TCLASS, &mark, sizeof mark);
}
