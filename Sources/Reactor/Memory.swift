import CLinux

/// What the process holds, kept small: a daemon that idles in the background should not hold what only its start or a sync needed.
public enum Memory {
  /// To be called once, before the first thread.
  public static func beThrifty() { clinux_thrifty_heap() }

  /// Gives freed heap and code that ran once back to the kernel. Takes a few milliseconds: for after something large, not for often.
  public static func release() {
    _ = clinux_malloc_trim()
    clinux_drop_file_pages()
  }
}
