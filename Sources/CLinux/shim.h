// Small inline doors to what Glibc's Swift module leaves out. Nothing here holds state.
#pragma once
#include "bluetooth.h"
#include "confinement.h"
#include "descriptors.h"
#include "memory.h"
#include <errno.h>
#include "netlink.h"
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/// Gives freed heap back to the kernel; Glibc keeps it otherwise (after a sync, tens of MB).
static inline int clinux_malloc_trim(void) { return malloc_trim(0); }
/// Bytes that are allocated and not freed, over all arenas and mappings: what a process holds, whatever its heap looks like.
static inline size_t clinux_malloc_live(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// Nothing of this process may be read by another of the same user, nor end in a core dump.
static inline int clinux_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

/// The child is told to end when its parent does.
static inline int clinux_die_with_parent(int signal) { return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0); }

#include <sys/xattr.h>
/// Whether a file gives capabilities to whoever runs it.
static inline int clinux_has_capabilities(const char *path) { return getxattr(path, "security.capability", NULL, 0) > 0; }

#include <sys/syscall.h>
/// A descriptor that becomes readable when the process ends; -1 with errno on failure.
static inline int clinux_pidfd_open(int pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

/// Shown by `ps -T` and `top -H`; at most 15 bytes.
static inline int clinux_name_thread(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }

/// A pipe that no child inherits unasked; `pipe2` is missing from Glibc's Swift module.
static inline int clinux_pipe(int ends[2]) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }

#include <sys/eventfd.h>
/// A counter that poll sees: how one thread wakes another that waits for descriptors.
static inline int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

#include <sys/timerfd.h>
#include <time.h>
/// A timer that can be read: it blocks until the moment that `clinux_timer_set` names. Suspended time counts, as in CLOCK_BOOTTIME.
static inline int clinux_timer(void) { return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC); }

/// `at`: nanoseconds of CLOCK_BOOTTIME; 0: never. A moment that has passed rings at once.
static inline int clinux_timer_set(int timer, long long at) {
  struct itimerspec spec = {{0, 0}, {at / 1000000000, at % 1000000000}};
  return timerfd_settime(timer, TFD_TIMER_ABSTIME, &spec, 0);
}

// Swift's own door for where tasks without an actor run (SwiftShims and the runtime's Concurrency.h), and the two calls of
// Dispatch it takes. Used by Reactor's QuietTasks, which says why.
typedef struct {
  void *identity;
  __UINTPTR_TYPE__ implementation;
} clinux_executor;
typedef __attribute__((swiftcall)) void (*clinux_enqueue)(void *job);
extern __attribute__((swiftcall)) void (*swift_task_enqueueGlobal_hook)(void *job, clinux_enqueue original);
extern __attribute__((swiftcall)) void swift_job_run(void *job, clinux_executor executor);
extern void *dispatch_queue_create(const char *label, void *attributes);
extern void dispatch_async_f(void *queue, void *context, void (*work)(void *));

enum { CLINUX_TASK_QUEUES = 4 };

typedef struct {
  void *queue;
  // Jobs that wait or run, and when the one that runs began (µs).
  int pending;
  long long since;
} clinux_task_queue;

// The first two are the caller's own: `preferred` says on which of them the job at hand is best, `submit` brings it there,
// to be run by `clinux_run_own_job`. The rest are for what would have to wait.
typedef struct {
  clinux_task_queue queues[CLINUX_TASK_QUEUES];
  int (*preferred)(void);
  void (*submit)(int side, void *job);
} clinux_task_doors;

static inline clinux_task_doors *clinux_doors(void) {
  static clinux_task_doors doors;
  return &doors;
}

static inline long long clinux_microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static inline void clinux_run_own_job(int side, void *job) {
  clinux_task_queue *queue = &clinux_doors()->queues[side];
  clinux_executor none = {0, 0};
  __atomic_store_n(&queue->since, clinux_microseconds(), __ATOMIC_RELAXED);
  swift_job_run(job, none);
  __atomic_fetch_sub(&queue->pending, 1, __ATOMIC_RELEASE);
}

static inline void clinux_run_job_2(void *job) { clinux_run_own_job(2, job); }
static inline void clinux_run_job_3(void *job) { clinux_run_own_job(3, job); }

// Idle, or its job began just now and nearly all are short.
static inline int clinux_takes_job(clinux_task_queue *queue, long long now) {
  int pending = __atomic_load_n(&queue->pending, __ATOMIC_ACQUIRE);
  if (pending == 0) __atomic_store_n(&queue->since, now, __ATOMIC_RELAXED);
  return pending == 0 || (pending < 16 && now - __atomic_load_n(&queue->since, __ATOMIC_RELAXED) < 300);
}

// A job goes where it comes from: to wake another thread would cost more than most jobs do. Only behind a long one it does not wait.
static inline __attribute__((swiftcall)) void clinux_enqueue_job(void *job, clinux_enqueue original) {
  static unsigned turn;
  (void)original;
  clinux_task_doors *doors = clinux_doors();
  long long now = clinux_microseconds();
  int side = doors->preferred();
  int chosen = clinux_takes_job(&doors->queues[side], now) ? side : -1;
  for (int i = 2; i < CLINUX_TASK_QUEUES && chosen < 0; i++) {
    if (clinux_takes_job(&doors->queues[i], now)) chosen = i;
  }
  if (chosen < 0) chosen = 2 + (int)(__atomic_fetch_add(&turn, 1, __ATOMIC_RELAXED) % (CLINUX_TASK_QUEUES - 2));
  __atomic_fetch_add(&doors->queues[chosen].pending, 1, __ATOMIC_RELAXED);
  if (chosen < 2) {
    doors->submit(chosen, job);
  } else {
    dispatch_async_f(doors->queues[chosen].queue, job, chosen == 2 ? clinux_run_job_2 : clinux_run_job_3);
  }
}

/// Before the first task only: from then on tasks that belong to no actor run on serial queues.
static inline void clinux_run_tasks_on_serial_queues(int (*preferred)(void), void (*submit)(int side, void *job)) {
  clinux_doors()->preferred = preferred;
  clinux_doors()->submit = submit;
  for (int i = 2; i < CLINUX_TASK_QUEUES; i++) {
    clinux_doors()->queues[i].queue = dispatch_queue_create("net.sdf1.ipodderx.tasks", 0);
  }
  swift_task_enqueueGlobal_hook = clinux_enqueue_job;
}
