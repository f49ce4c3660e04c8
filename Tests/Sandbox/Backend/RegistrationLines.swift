import FoundationEssentials
import NIOPosix
import OpenSSL
import Synchronization
import SystemPackage

/// The file `registrations.jsonl`: one line per registration that counted, in the order in which they came.
///
/// One thread does all the work, in the order of the calls: looking up a key and writing it down is one step.
final class RegistrationLines: Sendable {
  enum Outcome: Sendable, Equatable {
    /// A line with this number was written.
    case recorded(Int)
    /// The key and the body are those of the line with this number; nothing was written.
    case replayed(Int)
    /// The key is that of the line with this number, but the body is another.
    case mismatched(Int)
  }

  struct Counts: Sendable, Encodable {
    /// The lines in the file, including those from before the start.
    var lines = 0
    var replayed = 0
    var mismatched = 0
  }

  /// A line without its last member, the body.
  private struct Line: Codable {
    var at: String
    var number: Int
    var id: String?
    var idempotencyKey: String?
    var bodySHA256: String
    var headers: [String: String]

    enum CodingKeys: String, CodingKey {
      case at, number, id, headers
      case idempotencyKey = "idempotency_key"
      case bodySHA256 = "body_sha256"
    }
  }

  fileprivate struct Contents {
    var known: [String: (number: Int, body: String)] = [:]
    var counts = Counts()
  }

  private let file: FileDescriptor
  private let thread: NIOThreadPool
  private let state: Mutex<Contents>

  /// Opens the file, creating it if it is missing, and reads the keys in it.
  init(path: FilePath, thread: NIOThreadPool) throws {
    self.thread = thread
    file = try FileDescriptor.open(
      path, .writeOnly, options: [.create, .append, .closeOnExec], permissions: [.ownerReadWrite, .groupRead])
    var state = Contents()
    for line in try Data(contentsOf: URL(filePath: path.string)).split(separator: UInt8(ascii: "\n")) {
      state.counts.lines += 1
      let line = try JSONDecoder().decode(Line.self, from: Data(line))
      if let key = line.idempotencyKey { state.known[key] = (line.number, line.bodySHA256) }
    }
    self.state = Mutex(state)
  }

  var counts: Counts { state.withLock { $0.counts } }

  /// Takes a registration: writes its line, unless its key came before.
  func register(key: String?, body: [UInt8], id: String?, headers: [String: String], at: Date) async throws -> Outcome {
    let hash = PercentEncoding.hex(SHA256.hash(data: body))
    return try await thread.runIfActive { [self] in
      if let before = state.withLock({ $0.seen(key, hash) }) { return before }
      let number = counts.lines + 1
      let line = Line(
        at: BasicTime.extended(at), number: number, id: id, idempotencyKey: key, bodySHA256: hash, headers: headers)
      try file.writeAll(try Self.bytes(of: line, body: body))
      state.withLock {
        $0.counts.lines = number
        if let key { $0.known[key] = (number, hash) }
      }
      return .recorded(number)
    }
  }

  private static func bytes(of line: Line, body: [UInt8]) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let start = Array(try encoder.encode(line).dropLast())
    // The body is written as it came. A line break in JSON is never inside a text, so a space may replace it.
    return start + Array(",\"body\":".utf8) + body.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 } + Array("}\n".utf8)
  }
}

extension RegistrationLines.Contents {
  /// Returns the outcome for a key that came before, and counts it; nil for a new key.
  fileprivate mutating func seen(_ key: String?, _ hash: String) -> RegistrationLines.Outcome? {
    guard let key, let before = known[key] else { return nil }
    guard before.body == hash else {
      counts.mismatched += 1
      return .mismatched(before.number)
    }
    counts.replayed += 1
    return .replayed(before.number)
  }
}
