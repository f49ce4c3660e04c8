#if DEBUG || SIMULATION
  public import Glibc
  import Synchronization

  /// Gives a number from outside an extreme value, to show that none ends the process: `WAYBILL_EXTREME=size=9223372036854775807`.
  public enum ExtremeNumbers {
    /// A number from outside.
    public enum Fact: String, CaseIterable, Sendable {
      /// The length of regular files.
      case size
      /// The seconds of the time at which the bytes changed last.
      case modified
      /// The seconds of the time at which bytes or inode changed last.
      case changed
      /// The number of names of regular files.
      case links
      /// The free blocks of a file system, and the bytes of one.
      case free
      /// All numbers of the daemon's answers to a command, in JSON.
      case answers
    }

    private static let given = Mutex<(fact: Fact, value: Int64)?>(fromEnvironment)

    /// Sets the number that has this value from now on.
    public static func set(_ fact: Fact, to value: Int64) { given.withLock { $0 = (fact, value) } }

    private static var fromEnvironment: (fact: Fact, value: Int64)? {
      guard let text = unsafe getenv("WAYBILL_EXTREME") else { return nil }
      let words = unsafe String(cString: text).split(separator: "=")
      guard words.count == 2, let fact = Fact(rawValue: String(words[0])), let value = Int64(words[1]) else {
        return nil
      }
      return (fact, value)
    }

    /// Alters the facts of a file.
    public static func alter(_ facts: inout stat) {
      guard let (fact, value) = given.withLock(\.self) else { return }
      switch fact {
      case .modified: facts.st_mtim.tv_sec = Int(value)
      case .changed: facts.st_ctim.tv_sec = Int(value)
      case .size where facts.st_mode & S_IFMT == S_IFREG: facts.st_size = off_t(value)
      case .links where facts.st_mode & S_IFMT == S_IFREG: facts.st_nlink = nlink_t(truncatingIfNeeded: value)
      case .size, .links, .free, .answers: break
      }
    }

    /// Returns a JSON document with the given value for each number.
    public static func altered(json: [UInt8]) -> [UInt8] {
      guard let (fact, value) = given.withLock(\.self), fact == .answers else { return json }
      var (bytes, isText, isEscaped, isNumber): ([UInt8], Bool, Bool, Bool) = ([], false, false, false)
      for byte in json {
        let wasNumber = isNumber
        isNumber = !isText && (byte >= 0x2B && byte <= 0x39 && byte != 0x2C || isNumber && byte | 0x20 == 0x65)
        if isNumber {
          if !wasNumber { bytes += "\(value)".utf8 }
          continue
        }
        bytes.append(byte)
        if byte == UInt8(ascii: "\""), !isEscaped { isText.toggle() }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      }
      return bytes
    }

    /// Alters the facts of a file system.
    public static func alter(_ space: inout statvfs) {
      guard let (fact, value) = given.withLock(\.self), fact == .free else { return }
      (space.f_bavail, space.f_frsize) = (UInt(bitPattern: Int(value)), UInt(bitPattern: Int(value)))
    }
  }
#endif
