#if DEBUG || SIMULATION
  import CLinux

  /// A disk of a simulation that is full at times: no write to a file below a folder finds space. For programs with one thread.
  public enum DiskSpace {
    /// Watches the writes below a folder; nil for none.
    public static func watch(_ folder: String?) { unsafe clinux_watch_space(folder) }

    /// Lets these writes fail with ENOSPC from now on, or succeed.
    public static func set(isFull: Bool) { clinux_fill_space(isFull ? 1 : 0) }
  }
#endif
