#if DEBUG || SIMULATION
  import SystemCalls
#endif

/// The disk of the ledger, which may be full: then no write to a file on it finds space.
enum FullDisk {
  /// Has writes below a folder watched from now on, if they are to fail some day. SQLite has to be told before it opens a file.
  static func watch(_ folder: String, if mayBeFull: Bool) {
    #if DEBUG || SIMULATION
      DiskSpace.watch(mayBeFull ? folder : nil)
    #endif
  }

  static func set(_ isFull: Bool) {
    #if DEBUG || SIMULATION
      DiskSpace.set(isFull: isFull)
    #endif
  }
}
