// libcurl, loaded at its first use instead of at the program's start: it and the thirty libraries behind it cost 7 ms of the
// dynamic linker before `main`, half of all, and a player is to be on the bus before anyone notices. These functions stand in for
// curl's own by the same names; each goes to the real one. Where there is no libcurl they fail as curl does without memory.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

static void *library;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  library = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);
  if (!library) fprintf(stderr, "libcurl cannot be loaded: %s\n", dlerror());
}

static void *find(const char *name) {
  pthread_once(&once, load);
  return library ? dlsym(library, name) : NULL;
}

// The real function by the name of the one it stands in; looked up once (twice at worst, by two threads, with the same answer).
#define REAL(name) \
  static __typeof__(name) *real; \
  if (!__atomic_load_n(&real, __ATOMIC_ACQUIRE)) __atomic_store_n(&real, (__typeof__(name) *)find(#name), __ATOMIC_RELEASE)

CURLcode curl_global_init(long flags) {
  REAL(curl_global_init);
  return real ? real(flags) : CURLE_FAILED_INIT;
}

CURL *curl_easy_init(void) {
  REAL(curl_easy_init);
  return real ? real() : NULL;
}

void curl_easy_cleanup(CURL *handle) {
  REAL(curl_easy_cleanup);
  if (real) real(handle);
}

// Options from 30000 on (OFF_T) take 64 bits, the others a word.
CURLcode curl_easy_setopt(CURL *handle, CURLoption option, ...) {
  REAL(curl_easy_setopt);
  if (!real) return CURLE_FAILED_INIT;
  va_list list;
  va_start(list, option);
  CURLcode code;
  if (option >= CURLOPTTYPE_OFF_T && option < CURLOPTTYPE_BLOB) {
    code = real(handle, option, va_arg(list, curl_off_t));
  } else {
    code = real(handle, option, va_arg(list, void *));
  }
  va_end(list);
  return code;
}

// Every kind of answer goes through a pointer.
CURLcode curl_easy_getinfo(CURL *handle, CURLINFO info, ...) {
  REAL(curl_easy_getinfo);
  if (!real) return CURLE_FAILED_INIT;
  va_list list;
  va_start(list, info);
  CURLcode code = real(handle, info, va_arg(list, void *));
  va_end(list);
  return code;
}

CURLcode curl_easy_pause(CURL *handle, int mask) {
  REAL(curl_easy_pause);
  return real ? real(handle, mask) : CURLE_FAILED_INIT;
}

char *curl_easy_unescape(CURL *handle, const char *text, int length, int *unescaped) {
  REAL(curl_easy_unescape);
  return real ? real(handle, text, length, unescaped) : NULL;
}

void curl_free(void *memory) {
  REAL(curl_free);
  if (real) real(memory);
}

time_t curl_getdate(const char *text, const time_t *unused) {
  REAL(curl_getdate);
  return real ? real(text, unused) : -1;
}

CURLM *curl_multi_init(void) {
  REAL(curl_multi_init);
  return real ? real() : NULL;
}

CURLMcode curl_multi_cleanup(CURLM *multi) {
  REAL(curl_multi_cleanup);
  return real ? real(multi) : CURLM_INTERNAL_ERROR;
}

CURLMcode curl_multi_setopt(CURLM *multi, CURLMoption option, ...) {
  REAL(curl_multi_setopt);
  if (!real) return CURLM_INTERNAL_ERROR;
  va_list list;
  va_start(list, option);
  CURLMcode code;
  if (option >= (CURLMoption)CURLOPTTYPE_OFF_T) {
    code = real(multi, option, va_arg(list, curl_off_t));
  } else {
    code = real(multi, option, va_arg(list, void *));
  }
  va_end(list);
  return code;
}

CURLMcode curl_multi_add_handle(CURLM *multi, CURL *handle) {
  REAL(curl_multi_add_handle);
  return real ? real(multi, handle) : CURLM_INTERNAL_ERROR;
}

CURLMcode curl_multi_remove_handle(CURLM *multi, CURL *handle) {
  REAL(curl_multi_remove_handle);
  return real ? real(multi, handle) : CURLM_INTERNAL_ERROR;
}

CURLMsg *curl_multi_info_read(CURLM *multi, int *left) {
  REAL(curl_multi_info_read);
  return real ? real(multi, left) : NULL;
}

CURLMcode curl_multi_socket_action(CURLM *multi, curl_socket_t socket, int events, int *running) {
  REAL(curl_multi_socket_action);
  return real ? real(multi, socket, events, running) : CURLM_INTERNAL_ERROR;
}

struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text) {
  REAL(curl_slist_append);
  return real ? real(list, text) : NULL;
}

void curl_slist_free_all(struct curl_slist *list) {
  REAL(curl_slist_free_all);
  if (real) real(list);
}
