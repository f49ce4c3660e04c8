#if DEBUG || SIMULATION
  import Synchronization

  /// The times of files in a simulation, whose clock is not the kernel's. Release builds have no such thing.
  public enum FileTimes {
    /// The facts of a file that its time depends on. Times are nanoseconds since the Unix epoch.
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

    /// From now on gives all files of this process other times.
    public static func translate(by translation: @escaping @Sendable (Facts) -> Facts) {
      self.translation.withLock { $0 = translation }
    }

    static func translated(_ facts: Facts) -> Facts { translation.withLock(\.self)?(facts) ?? facts }
  }
#endif
