import CLinux
import Glibc
import Messages
import Seams

/// The file system that a directory is on.
public struct FileSystem: Hashable, Sendable {
  /// The number of bytes that a process without privileges may still use (`f_bavail`).
  public let availableBytes: Int64
  /// The magic number (`f_type` of statfs(2)).
  let magic: UInt64

  /// True if other machines or processes may change files without this kernel noticing, so that inotify does not report it: NFS,
  /// SMB and CIFS, FUSE, 9p, Ceph, AFS, OCFS2, GFS2. The numbers are from linux/magic.h and statfs(2).
  public var isRemote: Bool {
    switch magic {
    case 0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x6573_5546, 0x0102_1997, 0x00C3_6400, 0x5346_414F, 0x6B41_4653,
      0x7461_636F, 0x0116_1970, 0x564C, 0x7375_7245, 0x6173_756F, 0x4750_4653, 0x0BD0_0BD0:
      true
    default: false
    }
  }

  /// True if a file keeps its inode number when its file system is mounted again, or drops the file from memory: ext2 to ext4,
  /// XFS, Btrfs, F2FS, ZFS, bcachefs, NFS, Ceph. FAT, exFAT and SMB, among others, make up a number each time that they read a file.
  public var keepsInodes: Bool {
    switch magic {
    case 0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x2FC1_2FC1, 0xCA45_1A4E, 0x6969, 0x00C3_6400: true
    default: false
    }
  }

  /// True if the kernel itself answers for the leases there, so that they show every writer: ext2 to ext4, XFS, Btrfs, F2FS, tmpfs,
  /// FAT, exFAT.
  public var hasGenericLeases: Bool {
    switch magic {
    case 0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x0102_1994, 0x4D44, 0x2011_BAB0: true
    default: false
    }
  }
}

extension Directory {
  /// The file system that the directory is on.
  public func fileSystem() throws(FileError) -> FileSystem {
    var space = statvfs()
    var magic: UInt64 = 0
    let result = SystemCall.statvfs.made(on: descriptor.number) {
      let result = unsafe fstatvfs(descriptor.number, &space)
      return result == 0 ? unsafe clinux_file_system_magic(descriptor.number, &magic) : result
    }
    guard result == 0 else { throw FileError("examine the file system of", shown([]), errno: errno) }
    #if DEBUG || SIMULATION
      ExtremeNumbers.alter(&space)
    #endif
    return FileSystem(
      availableBytes: Int64(clamping: UInt64(space.f_bavail) *| UInt64(space.f_frsize)),
      magic: magic)
  }
}
