import Testing

@testable import Linux

@Suite struct MediumTests {
  private func medium(_ line: String, sequences: [String: String] = [:]) throws -> String? {
    try Directory.medium(Array(line.utf8).split(separator: UInt8(ascii: " "))) { device throws(FileError) in
      sequences[device].map { Array(($0 + "\n").utf8) }
    }
  }

  /// Number, parent, mount point and options are those of one namespace.
  @Test(arguments: [
    ("36 35 8:17 / /media/card rw,noatime - vfat /dev/sdb1 rw", "8:17 5"),
    ("912 880 8:17 / /media/card ro,noatime master:1 - vfat /dev/sdb1 rw", "8:17 5"),
    ("912 880 8:17 /DCIM /photos ro shared:7 master:1 - vfat /dev/sdb1 rw", "8:17 5"),
    ("36 35 0:45 / /mnt/nas rw - cifs //nas/photos rw,vers=3.1.1", "0:45 cifs //nas/photos"),
    ("77 35 0:45 / /mnt/nas ro master:9 - cifs //nas/photos rw", "0:45 cifs //nas/photos"),
    ("36 35 0:50 / /mnt/phone rw - fuse.jmtpfs jmtpfs rw", "0:50 fuse.jmtpfs jmtpfs"),
    ("36 35 8:18 / /media/card rw,noatime - vfat /dev/sdb2 rw", "8:18 6"),
    ("36 35 8:33 / /media/card rw - exfat /dev/sdc1 rw", nil),
    ("36 35 8:17 / /media/card rw", nil),
    ("36 35 0:45 / /mnt/nas rw - cifs", nil),
  ])
  func isTheSameInEachNamespace(_ line: String, _ expected: String?) throws {
    #expect(try medium(line, sequences: ["8:17": "5", "8:18": "6"]) == expected)
  }
}
