#if DEBUG || SIMULATION
  import Synchronization

  /// The times of files in a simulation, whose clock is not the kernel's, and the devices of its media. Release builds do not have this.
  public enum FileTimes {
    /// The facts from which the simulated ones are computed. Times are nanoseconds since the Unix epoch.
    public struct Facts: Hashable, Sendable {
      /// The device that the file is on.
      public var device: UInt64
      /// The inode on that device.
      public var inode: UInt64
      /// The kernel's mtime.
      public var modified: Int64
      /// The kernel's ctime.
      public var changed: Int64
    }

    private static let translation = Mutex<(@Sendable (Facts) -> Facts)?>(nil)

    /// Sets the function that replaces the times and devices of all files for this process.
    public static func translate(by translation: @escaping @Sendable (Facts) -> Facts) {
      self.translation.withLock { $0 = translation }
    }

    static func translated(_ facts: Facts) -> Facts { translation.withLock(\.self)?(facts) ?? facts }
  }
#endif
