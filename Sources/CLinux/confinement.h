// A process that gives up all it does not need, for good: what the decode helper does before it sees a byte from outside.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)
#define CLINUX_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CLINUX_AUDIT_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define CLINUX_AUDIT_ARCH AUDIT_ARCH_RISCV64
#endif

static inline void clinux_limit(int what, uint64_t most) {
  struct rlimit limit = {most, most};
  setrlimit(what, &limit);
}

/// Closes every descriptor but `kept`.
static inline void clinux_close_all_but(int kept) {
  int done = 1;
#ifdef SYS_close_range
  if (kept > 0) done = syscall(SYS_close_range, 0, kept - 1, 0) == 0;
  done = done && syscall(SYS_close_range, kept + 1, ~0U, 0) == 0;
#else
  done = 0;
#endif
  if (done) return;
  long most = sysconf(_SC_OPEN_MAX);
  for (int fd = 0; fd < (most > 0 && most < 65536 ? most : 65536); fd++) {
    if (fd != kept) close(fd);
  }
}

/// The memory that is mapped now, in bytes; 0: unknown.
static inline uint64_t clinux_mapped_bytes(void) {
  char text[64] = {0};
  int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t size = read(fd, text, sizeof text - 1);
  close(fd);
  return size > 0 ? strtoull(text, 0, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

/// No file system at all (landlock(7)); 0 where the kernel has no Landlock.
static inline int clinux_landlock_all(void) {
  // Numbers and shapes by the kernel's documentation: the headers at hand may be older than the kernel.
  enum { create_ruleset = 444, restrict_self = 446, version_flag = 1 };
  struct { uint64_t files, network, scopes; } all = {0, 0, 0};
  long abi = syscall(create_ruleset, (void *)0, (size_t)0, version_flag);
  if (abi < 1) return 0;
  all.files = (1ULL << 13) - 1;
  if (abi >= 2) all.files |= 1ULL << 13;
  if (abi >= 3) all.files |= 1ULL << 14;
  if (abi >= 5) all.files |= 1ULL << 15;
  if (abi >= 4) all.network = 3;
  if (abi >= 6) all.scopes = 3;
  int fd = (int)syscall(create_ruleset, &all, (size_t)(abi >= 6 ? 24 : abi >= 4 ? 16 : 8), 0);
  if (fd < 0) return 0;
  int result = (int)syscall(restrict_self, fd, 0);
  close(fd);
  return result == 0;
}

/// From here on only memory, what is open already, and the end; everything else is refused with EPERM. 0 where the kernel cannot.
static inline int clinux_filter_calls(void) {
#ifndef CLINUX_AUDIT_ARCH
  return 0;
#else
#define CLINUX_ALLOW(nr) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (nr), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLINUX_AUDIT_ARCH, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      // Memory that can be run is never had anew.
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      CLINUX_ALLOW(SYS_read),
      CLINUX_ALLOW(SYS_write),
      CLINUX_ALLOW(SYS_recvfrom),
      CLINUX_ALLOW(SYS_sendto),
      CLINUX_ALLOW(SYS_brk),
      CLINUX_ALLOW(SYS_munmap),
      CLINUX_ALLOW(SYS_mremap),
      CLINUX_ALLOW(SYS_madvise),
      CLINUX_ALLOW(SYS_futex),
      CLINUX_ALLOW(SYS_clock_gettime),
      CLINUX_ALLOW(SYS_gettimeofday),
      CLINUX_ALLOW(SYS_getrandom),
      CLINUX_ALLOW(SYS_getpid),
      CLINUX_ALLOW(SYS_gettid),
      CLINUX_ALLOW(SYS_sched_yield),
      CLINUX_ALLOW(SYS_restart_syscall),
      CLINUX_ALLOW(SYS_rt_sigprocmask),
      CLINUX_ALLOW(SYS_rt_sigreturn),
      CLINUX_ALLOW(SYS_exit),
      CLINUX_ALLOW(SYS_exit_group),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
  };
#undef CLINUX_ALLOW
  struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
#endif
}

enum { clinux_has_landlock = 1, clinux_has_filter = 2 };

/// Leaves this process with `kept`, `memory` more bytes than it has now, and `seconds` of the processor. Which of the kernel's two
/// guards stand (bits above), or -1 where even the plain limits could not be had.
static inline int clinux_confine(int kept, uint64_t memory, uint64_t seconds) {
  uint64_t mapped = clinux_mapped_bytes();
  clinux_close_all_but(kept);
  if (mapped) clinux_limit(RLIMIT_AS, mapped + memory);
  clinux_limit(RLIMIT_CPU, seconds);
  clinux_limit(RLIMIT_FSIZE, 0);
  clinux_limit(RLIMIT_CORE, 0);
  clinux_limit(RLIMIT_NPROC, 0);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0) return -1;
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0) return -1;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -1;
  int guards = clinux_landlock_all() ? clinux_has_landlock : 0;
  clinux_limit(RLIMIT_NOFILE, 0);
  if (clinux_filter_calls()) guards |= clinux_has_filter;
  return guards;
}

/// A socket pair that no child inherits unasked; 0 on success.
static inline int clinux_stream_pair(int ends[2]) { return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends); }

// What a confined process must not be able to do, tried: 0 where it was refused, else what came.
static inline int clinux_try_open(void) { int r = open("/etc/passwd", O_RDONLY); return r < 0 ? 0 : r + 1; }
static inline int clinux_try_create(void) {
  int r = open("/tmp/ipodderx-car-confinement", O_WRONLY | O_CREAT, 0600);
  return r < 0 ? 0 : r + 1;
}
static inline int clinux_try_socket(int family) { int r = socket(family, SOCK_STREAM, 0); return r < 0 ? 0 : r + 1; }
static inline int clinux_try_fork(void) {
  long r = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (r == 0) _exit(0);
  return r < 0 ? 0 : 1;
}
static inline int clinux_try_exec(void) {
  char *const words[] = {"/bin/true", 0};
  execve("/bin/true", words, words + 1);
  return 0;
}
static inline int clinux_try_kill(void) { return kill(getppid(), 0) < 0 ? 0 : 1; }
static inline int clinux_try_trace(void) { return ptrace(PTRACE_TRACEME, 0, 0, 0) < 0 ? 0 : 1; }
static inline int clinux_try_code(void) {
  return mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? 0 : 1;
}
static inline int clinux_try_memory(uint64_t bytes) {
  return mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? 0 : 1;
}
