import Glibc

/// A program that can write to a file without opening it again, because it has it open for writing, or mapped.
public struct FileWriter: Hashable, Sendable {
  /// The process id.
  public let process: Int32
  /// The name of the program as the kernel has it, at most 15 bytes (`comm` of proc(5)).
  public let program: String
  /// The user id of the process.
  public let user: UInt32

  /// A program.
  init(process: Int32, program: String, user: UInt32) {
    self.process = process
    self.program = program
    self.user = user
  }
}

/// The programs that can write to a file, according to `/proc` (proc(5)).
///
/// Without root's rights only the user's own programs are visible; programs on other machines never are. It reads all of `/proc`,
/// so it is used only to answer a person.
public struct FileWriters: Hashable, Sendable {
  /// The programs, sorted by process id.
  public private(set) var programs: [FileWriter] = []
  /// True if the files of every process could be looked at.
  private(set) var sawAll = true

  private static let proc = "/proc"
  /// The maximum number of bytes to read from a file in `/proc`. A process with 65,530 mappings, the default limit, has fewer.
  private static let limit = 16 << 20

  /// Searches for the programs that can write to the file with these facts.
  public init(of facts: FileFacts) {
    do throws(FileError) {
      let proc = try Directory(path: Self.proc)
      let listing = try proc.listing()
      while let entry = try listing.next() {
        guard let process = Int32(String(decoding: entry.name, as: UTF8.self)) else { continue }
        add(process, proc, entry.name, facts)
      }
    } catch {
      sawAll = false
    }
    programs.sort { $0.process < $1.process }
  }

  private mutating func add(_ process: Int32, _ proc: Directory, _ name: [UInt8], _ facts: FileFacts) {
    do throws(FileError) {
      let path = "\(Self.proc)/\(process)"
      var canWrite = try Self.isOpen(facts, path)
      if !canWrite { canWrite = try Self.isMapped(facts, path) }
      guard canWrite else { return }
      let program = try readSmallFile(path: path + "/comm", limit: 64).prefix { $0 != UInt8(ascii: "\n") }
      programs.append(
        FileWriter(
          process: process, program: String(decoding: program, as: UTF8.self), user: try proc.facts(of: name).owner))
    } catch {
      // A process that has ended does not write any more.
      if error.errno != ENOENT, error.errno != ESRCH { sawAll = false }
    }
  }

  /// True if the process has a descriptor that is open on the file for writing. `fdinfo` is read first: it has the flags, and
  /// reading it does not access the file, whose server may not answer.
  private static func isOpen(_ facts: FileFacts, _ process: String) throws(FileError) -> Bool {
    let descriptors = try Directory(path: process + "/fd")
    let listing = try descriptors.listing()
    while let entry = try listing.next() {
      do throws(FileError) {
        let number = String(decoding: entry.name, as: UTF8.self)
        let info = Fields(try readSmallFile(path: "\(process)/fdinfo/\(number)", limit: limit))
        guard let flags = info["flags"].flatMap({ Int32($0, radix: 8) }), flags & O_ACCMODE != O_RDONLY else {
          continue
        }
        // Kernels before 5.14 do not report the inode.
        if let inode = info["ino"].flatMap({ UInt64($0) }), inode != facts.inode { continue }
        if try descriptors.target(of: entry.name).isSameFile(as: facts) { return true }
      } catch {
        guard error.errno == ENOENT else { throw error }
      }
    }
    return false
  }

  /// True if the process has a shared writable mapping of the file.
  private static func isMapped(_ facts: FileFacts, _ process: String) throws(FileError) -> Bool {
    // ADDRESS PERMISSIONS OFFSET DEVICE INODE PATH
    let device = "\(hex(major(facts.device))):\(hex(minor(facts.device)))"
    for line in try readSmallFile(path: process + "/maps", limit: limit).split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
      guard fields.count > 4, fields[1].dropFirst().first == UInt8(ascii: "w"), fields[1].last == UInt8(ascii: "s")
      else { continue }
      if fields[4].elementsEqual(String(facts.inode).utf8), fields[3].elementsEqual(device.utf8) { return true }
    }
    return false
  }

  /// The major and minor part of a device number (makedev(3)).
  private static func major(_ device: UInt64) -> UInt64 { (device >> 8 & 0xFFF) | (device >> 32 & 0xFFFF_F000) }
  private static func minor(_ device: UInt64) -> UInt64 { (device & 0xFF) | (device >> 12 & 0xFFFF_FF00) }

  private static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }

  /// Lines of `NAME:\tVALUE`.
  private struct Fields {
    private var values: [Substring: Substring] = [:]

    init(_ bytes: [UInt8]) {
      for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
        let halves = line.split(separator: ":", maxSplits: 1)
        guard halves.count == 2 else { continue }
        values[halves[0]] = halves[1].drop { $0 == " " || $0 == "\t" }
      }
    }

    subscript(_ name: Substring) -> Substring? { values[name] }
  }
}
