import CLinux
import Glibc

/// The rights of the process over files.
public enum ProcessRights {
  /// The effective user id.
  public static var user: UInt32 { geteuid() }

  /// True if sticky directories and other users' files do not bind it (CAP_FOWNER).
  public static var mayActForOwners: Bool { clinux_has_capability(clinux_cap_fowner) == 1 }

  /// The id of a user by name; nil where there is none.
  public static func user(named name: String) -> UInt32? { unsafe getpwnam(name).map { unsafe $0.pointee.pw_uid } }

  /// Becomes another user for good, with that user's groups and no capability more. For root alone, in a program that has no
  /// other work.
  ///
  /// - Throws: `FileError` where the kernel refuses, or nobody has that id.
  public static func become(_ user: UInt32) throws(FileError) {
    guard let entry = unsafe getpwuid(user) else { throw FileError("become", path: "user \(user)", errno: ENOENT) }
    let group = unsafe entry.pointee.pw_gid
    guard unsafe initgroups(entry.pointee.pw_name, group) == 0, setgid(group) == 0, setuid(user) == 0
    else { throw FileError("become", path: "user \(user)", errno: errno) }
  }

  /// Keeps the capabilities of the calling thread, and of those that it begins, from the programs that they start: they are neither
  /// ambient nor inheritable from now on. A program of root, or with capabilities of its own, has what the kernel gives it.
  ///
  /// To be called before there are other threads. Where a sandbox refuses it, the programs have what they had.
  public static func keepFromPrograms() { clinux_keep_capabilities_from_programs() }

  /// True if other users' files can be leased (CAP_LEASE).
  public static var mayLeaseOthersFiles: Bool { clinux_has_capability(clinux_cap_lease) == 1 }
}

/// The memory of the process, in which keys and tokens are.
public enum ProcessMemory {
  /// Keeps it out of core files, and away from debuggers and `/proc` of others without rights of root.
  ///
  /// The kernel refuses it to nobody, so nothing is said of its success.
  public static func forbidDumps() { _ = clinux_forbid_dumps() }

  /// Has the threads share three pools of free memory. By default malloc gives nearly every thread an arena of its own,
  /// and an arena keeps the most memory that the thread ever needed. With threads that come and go, that looks like a
  /// leak. With two pools, the two threads with the most work often wait for each other: twice as many calls of futex(2).
  public static func sharePools() { clinux_limit_arenas(3) }

  /// Gives free memory back to the kernel. It looks at all of it, so it is for the rest after much work.
  public static func returnFreeMemory() { clinux_return_memory() }

  /// Has the process keep only those pages of the program's code that it uses from now on: most of what a start reads is not
  /// needed again. The pages stay in the kernel's memory of the file, so one that is used again costs a minor fault.
  public static func forgetCode() { clinux_forget_code() }
}

/// The clock of the wall, which file times are compared with.
public enum WallClock {
  /// Nanoseconds since the Unix epoch (CLOCK_REALTIME).
  public static var nanoseconds: Int64 {
    var now = timespec()
    guard unsafe clock_gettime(CLOCK_REALTIME, &now) == 0 else { return 0 }
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }
}
