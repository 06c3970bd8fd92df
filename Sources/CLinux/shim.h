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

/// Nothing of this process may be read by another of the same user, nor end in a core dump.
static inline int clinux_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

/// The child is told to end when its parent does.
static inline int clinux_die_with_parent(int signal) { return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0); }

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

static inline void **clinux_task_queues(void) {
  static void *queues[CLINUX_TASK_QUEUES];
  return queues;
}

static inline void clinux_run_job(void *job) {
  clinux_executor none = {0, 0};
  swift_job_run(job, none);
}

static inline __attribute__((swiftcall)) void clinux_enqueue_job(void *job, clinux_enqueue original) {
  static unsigned turn;
  (void)original;
  dispatch_async_f(
      clinux_task_queues()[__atomic_fetch_add(&turn, 1, __ATOMIC_RELAXED) % CLINUX_TASK_QUEUES], job, clinux_run_job);
}

/// Before the first task only: from then on tasks that belong to no actor run on serial queues.
static inline void clinux_run_tasks_on_serial_queues(void) {
  for (int i = 0; i < CLINUX_TASK_QUEUES; i++) clinux_task_queues()[i] = dispatch_queue_create("net.sdf1.ipodderx.tasks", 0);
  swift_task_enqueueGlobal_hook = clinux_enqueue_job;
}
