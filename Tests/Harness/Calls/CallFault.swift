/// A call on a file that fails in the daemon under test (`FailingCalls`).
struct CallFault: Sendable, CustomStringConvertible {
  /// The call and the file, as a trace has them, with the place or without.
  var key: String
  var turn = 1
  var error: String
  /// Whether each later call of that name on that file fails too.
  var stays = false

  init(_ key: String, _ error: String, turn: Int = 1, stays: Bool = false) {
    self.key = key
    self.error = error
    self.turn = turn
    self.stays = stays
  }

  var description: String { "\(key):\(turn)=\(error)\(stays ? "+" : "")" }

  var environment: [String: String] { ["WAYBILL_FAILING_CALL": description] }

  /// Whether the daemon may say that only a person can act: where the error is one of rights or of kind.
  var mayBeOfSettings: Bool { !Self.passing.contains(error) }

  private static let passing: Set = [
    "EIO", "EMFILE", "ENFILE", "ENOMEM", "ENOSPC", "EDQUOT", "ENOLCK", "ESTALE", "EINTR", "EAGAIN",
  ]

  /// True for the announcement of a call that fails. The daemon's own words are none, although they may say that a disk fails.
  static func announces(_ line: some StringProtocol) -> Bool { line.contains(": call ") && line.contains(" fails: ") }

  /// The path of the call that has failed, from what a daemon writes; nil before it has.
  static func path(in words: String) -> String? {
    guard let line = words.split(separator: "\n").first(where: { announces($0) }),
      let start = line.firstRange(of: " of "), let end = line.firstRange(of: " fails: ")
    else { return nil }
    return String(line[start.upperBound..<end.lowerBound])
  }

  /// The errors that a call can give, by its name (the manual pages of each).
  static func errors(of call: String) -> [String] {
    switch call {
    case "openat": ["EIO", "EMFILE", "ENOMEM", "EACCES", "ENOSPC", "EINTR", "ESTALE"]
    case "pread", "read": ["EIO", "EINTR", "ESTALE"]
    case "fstat", "getdents", "statx": ["EIO", "ESTALE"]
    case "fstatat", "faccessat", "listxattr", "getxattr": ["EIO", "EACCES", "ESTALE"]
    case "mkdirat", "linkat", "renameat", "renameat2": ["EIO", "ENOSPC", "EDQUOT", "EACCES", "EROFS", "ESTALE"]
    case "unlinkat": ["EIO", "EACCES", "EROFS", "ESTALE"]
    case "write", "pwrite": ["EIO", "ENOSPC", "EDQUOT", "EINTR"]
    case "fallocate": ["EIO", "ENOSPC", "EDQUOT", "EOPNOTSUPP"]
    case "ftruncate", "mmap": ["EIO", "ENOSPC", "ENOMEM"]
    case "copy_file_range": ["EIO", "ENOSPC", "EXDEV", "EINVAL"]
    case "fsync", "syncfs": ["EIO", "ENOSPC", "EDQUOT", "EINVAL"]
    case "lock": ["EIO", "ENOLCK"]  // EAGAIN says that another process has it
    case "lease": ["EAGAIN", "EINVAL", "EACCES"]
    case "inotify_init": ["EMFILE", "ENOMEM"]
    case "inotify_add_watch": ["ENOSPC", "ENOMEM"]
    case "statvfs": ["EIO", "EINTR"]
    case "socket": ["EMFILE"]
    case "setxattr", "fchown", "fchmod", "futimens": ["EIO", "ENOSPC", "EACCES"]
    default: ["EIO"]
    }
  }
}

/// The calls that a daemon has made, by what it has written to the file of `WAYBILL_CALL_TRACE`.
struct CallTrace {
  /// How often each key was met, in the order of the first of each.
  let keys: [(key: String, count: Int)]

  init(_ text: String) {
    var counts: [String: Int] = [:]
    var order: [String] = []
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.count > 1 else { continue }
      let key = String(words[1])
      if counts[key] == nil { order.append(key) }
      counts[key, default: 0] += 1
    }
    keys = order.map { ($0, counts[$0] ?? 0) }
  }

  /// Each call with each of its errors, once and from then on: the first of each key, and the last where there are several.
  var faults: [CallFault] {
    keys.flatMap { key, count in
      CallFault.errors(of: String(key.prefix { $0 != ":" })).flatMap { error in
        Set([1, count]).sorted().map { CallFault(key, error, turn: $0) }
          // a signal does not come again and again
          + (error == "EINTR" ? [] : [CallFault(key, error, stays: true)])
      }
    }
  }
}
