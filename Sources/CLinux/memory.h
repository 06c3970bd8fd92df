// What the process holds in memory, and how to hold less.
#pragma once
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/// One heap for all threads but two, and what is freed at a heap's end goes back to the kernel: Glibc would make a heap for every
/// thread that allocates, each with its own slack (0.6 MB for each of ours). Before the first thread.
static inline void clinux_thrifty_heap(void) {
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  mallopt(M_TRIM_THRESHOLD, 128 * 1024);
}

/// Whether no page of a mapping, of those that are there, was written to: by the kernel's table of pages (Documentation/admin-guide/mm,
/// pagemap), which is far cheaper to ask than smaps, where the kernel adds up every page of the process.
static inline int clinux_is_copy_of_file(int pagemap, uintptr_t from, uintptr_t to) {
  const uint64_t present = 1ull << 63, swapped = 1ull << 62, of_file = 1ull << 61;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uint64_t entries[512];
  for (uintptr_t at = from / page, end = to / page; at < end;) {
    const size_t most = end - at < 512 ? end - at : 512;
    const ssize_t got = pread(pagemap, entries, most * sizeof *entries, (off_t)(at * sizeof *entries));
    if (got < (ssize_t)sizeof *entries) return 0;
    const size_t count = (size_t)got / sizeof *entries;
    for (size_t i = 0; i < count; i++)
      if (entries[i] & swapped || ((entries[i] & present) && !(entries[i] & of_file))) return 0;
    at += count;
  }
  return 1;
}

/// Takes out of our page table whatever is only a copy of a file: the code of the program and its libraries, and their tables. What
/// runs is found again in the page cache, sixteen pages at a time and without reading; what ran once, at the start or in a sync,
/// stays away. Writable and changed mappings are left alone.
static inline void clinux_drop_file_pages(void) {
  FILE *maps = fopen("/proc/self/maps", "re");
  if (!maps) return;
  const int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  char line[512];
  int begins = 1;
  while (pagemap >= 0 && fgets(line, sizeof line, maps)) {
    uintptr_t from, to;
    char access[5];
    unsigned long inode;
    // A long path comes in several pieces.
    const int is_mapping = begins && sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %lu", &from, &to, access, &inode) == 4;
    begins = strchr(line, '\n') != NULL;
    if (!is_mapping || !inode || access[0] != 'r' || access[1] != '-' || access[3] != 'p') continue;
    if (clinux_is_copy_of_file(pagemap, from, to)) madvise((void *)from, to - from, MADV_DONTNEED);
  }
  if (pagemap >= 0) close(pagemap);
  fclose(maps);
}
