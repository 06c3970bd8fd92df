// What the process holds in memory, and how to hold less.
#pragma once
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/// One heap for all threads but two, and what is freed at a heap's end goes back to the kernel: Glibc would make a heap for every
/// thread that allocates, each with its own slack (0.6 MB for each of ours). Before the first thread.
static inline void clinux_thrifty_heap(void) {
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  mallopt(M_TRIM_THRESHOLD, 128 * 1024);
}

/// Takes out of our page table whatever is only a copy of a file: the code of the program and its libraries, and their tables. What
/// runs is found again in the page cache, sixteen pages at a time and without reading; what ran once, at the start or in a sync,
/// stays away. Writable and changed mappings are left alone.
static inline void clinux_drop_file_pages(void) {
  FILE *maps = fopen("/proc/self/smaps", "re");
  if (!maps) return;
  char line[512];
  uintptr_t from = 0, to = 0;
  char access[5] = "";
  unsigned long inode = 0, changed = 0;
  while (fgets(line, sizeof line, maps)) {
    uintptr_t a, b;
    char how[5];
    unsigned long node;
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %lu", &a, &b, how, &node) == 4) {
      from = a, to = b, inode = node, changed = 0;
      memcpy(access, how, sizeof access);
      continue;
    }
    unsigned long kilobytes;
    if (sscanf(line, "Anonymous: %lu", &kilobytes) == 1 || sscanf(line, "Swap: %lu", &kilobytes) == 1) changed += kilobytes;
    // The last line of each mapping.
    if (strncmp(line, "VmFlags:", 8) == 0 && inode && !changed && access[0] == 'r' && access[1] == '-' && access[3] == 'p')
      madvise((void *)from, to - from, MADV_DONTNEED);
  }
  fclose(maps);
}
