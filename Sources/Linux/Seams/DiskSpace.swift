#if DEBUG || SIMULATION
  import CSeams

  /// A simulated disk that can be full: then no write and no new name below a directory finds space. Only for programs with one thread.
  public enum DiskSpace {
    /// Selects the directory whose files are affected; nil for none.
    public static func watch(_ folder: String?) { unsafe cseams_watch_space(folder) }

    /// Makes these calls fail, or succeed again.
    public static func set(isFull: Bool) { cseams_fill_space(isFull ? 1 : 0) }
  }
#endif
