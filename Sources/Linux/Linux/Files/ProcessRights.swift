import CLinux
import Glibc

/// The rights of the process regarding files.
public enum ProcessRights {
  /// The effective user id.
  public static var user: UInt32 { geteuid() }

  /// True if the limits for sticky directories and other users' files do not apply to it (CAP_FOWNER).
  public static var mayActForOwners: Bool { clinux_has_capability(clinux_cap_fowner) == 1 }

  /// The id of a user by name; nil if there is no such user.
  public static func user(named name: String) -> UInt32? { unsafe getpwnam(name).map { unsafe $0.pointee.pw_uid } }

  /// Prevents programs that the calling thread and its future threads start from inheriting its capabilities, unless they are root's or
  /// have file capabilities. Call it before other threads are started. If a sandbox refuses it, nothing changes.
  public static func keepFromPrograms() { clinux_keep_capabilities_from_programs() }

  /// True if other users' files can be leased (CAP_LEASE).
  public static var mayLeaseOthersFiles: Bool { clinux_has_capability(clinux_cap_lease) == 1 }
}

/// The memory of the process, which contains keys and tokens.
public enum ProcessMemory {
  /// Excludes it from core dumps, and from debuggers and `/proc` access of others than root. The kernel always allows this.
  public static func forbidDumps() { _ = clinux_forbid_dumps() }

  /// Limits malloc to three arenas. By default nearly every thread gets its own arena, which keeps the most memory that the thread ever
  /// needed. With two arenas, the two busiest threads often wait for each other: twice as many futex(2) calls.
  ///
  /// Also keeps the buffers of uploads in the arenas. By default, malloc returns their memory at once, and the kernel clears as many pages for
  /// the next one (mallopt(3), M_MMAP_THRESHOLD and M_TRIM_THRESHOLD).
  public static func sharePools() {
    mallopt(M_ARENA_MAX, 3)
    mallopt(M_MMAP_THRESHOLD, 1 << 20)
    mallopt(M_TRIM_THRESHOLD, 4 << 20)
  }

  /// Returns free memory to the kernel. It goes through all of it, so call it when the process is idle after much work.
  public static func returnFreeMemory() { malloc_trim(0) }
}
