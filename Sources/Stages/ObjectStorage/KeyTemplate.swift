public import Jobs
import Messages

/// The template of the objects' keys, e.g. `{spool}/{yyyy}/{mm}/{dd}/{id}/{name}`.
///
/// A key never has an empty, `.` or `..` segment. If an empty value would cause an empty segment, its slash is left out too
/// (`{path}` of a file in the spool itself). If a name would be a segment of dots, it is percent-encoded (`%2E%2E`).
public struct KeyTemplate: Hashable, Sendable {
  /// The maximum number of bytes of a key ("Naming Amazon S3 objects" in the S3 user guide).
  public static let limit = 1024

  private let template: Template<KeyPlaceholder>

  /// Reads a template; throws for stray braces and placeholders that are unknown and no parts of file names.
  public init(_ text: String, captures: Set<String> = []) throws(TemplateFault) {
    template = try Template(text) { KeyPlaceholder($0, captures: captures) }
  }

  /// The key of one job's object.
  /// - Throws: a ``Jobs/Failure`` of kind `rejected` for a key that is empty or longer than 1,024 bytes.
  public func render(_ facts: KeyFacts) throws(Failure) -> String {
    var bytes = template.bytes(facts)
    if !Self.isSafe(bytes) {
      bytes = Array(bytes.split(separator: Self.slash).map(Self.safe).joined(separator: CollectionOfOne(Self.slash)))
    }
    let key = String(decoding: bytes, as: UTF8.self)
    guard !key.isEmpty else { throw Failure(.rejected, .keyEmpty) }
    let size = key.utf8.count
    guard size <= Self.limit else {
      throw Failure(.rejected, .keyTooLong(size: size))
    }
    return key
  }

  private static let slash = UInt8(ascii: "/")

  /// True if no segment is empty, `.` or `..`, as in nearly all keys.
  private static func isSafe(_ key: [UInt8]) -> Bool {
    var (length, dots) = (0, 0)
    for byte in key {
      if byte == slash {
        guard length > 0, length > 2 || dots < length else { return false }
        (length, dots) = (0, 0)
      } else {
        length += 1
        if byte == UInt8(ascii: ".") { dots += 1 }
      }
    }
    return length > 0 && (length > 2 || dots < length)
  }

  /// Percent-encodes `.` and `..`, which servers and clients on the way treat as steps in a path, even though S3 does not.
  private static func safe(_ segment: ArraySlice<UInt8>) -> [UInt8] {
    guard segment.count <= 2, segment.allSatisfy({ $0 == UInt8(ascii: ".") }) else { return Array(segment) }
    var encoded: [UInt8] = []
    for byte in segment { PercentEncoding.append(byte, to: &encoded) }
    return encoded
  }
}

/// The facts of a job that a template of a key or link may name.
public struct KeyFacts: Hashable, Sendable {
  /// The spool's name.
  public var spool: String
  /// The job's identity.
  public var id: JobID
  /// The file's name, without a path.
  public var name: FileName
  /// The job's number.
  public var job: JobNumber
  /// The name of this host.
  public var host: String
  /// The path of the file's directory in a recursive spool, without slashes at the ends; empty for the spool itself.
  public var path: [UInt8]
  /// The time at which the job was admitted.
  public var time: Timestamp
  /// The seconds by which the clock for the date in the template was ahead of UTC.
  public var offset: Int
  /// The values of the file's attributes `user.waybill.NAME`, by NAME.
  public var metadata: [String: String]
  /// The parts of the file's name, by their names.
  public var captures: [String: String]

  /// The facts of one job.
  public init(
    spool: String, id: JobID, name: FileName, job: JobNumber, host: String, path: [UInt8] = [], time: Timestamp,
    offset: Int = 0, metadata: [String: String] = [:], captures: [String: String] = [:]
  ) {
    self.spool = spool
    self.id = id
    self.name = name
    self.job = job
    self.host = host
    self.path = path
    self.time = time
    self.offset = offset
    self.metadata = metadata
    self.captures = captures
  }

  /// The value of a placeholder in UTF-8; empty for metadata, or a part of the name, that the file does not have.
  func value(_ placeholder: KeyPlaceholder) -> [UInt8] {
    var bytes: [UInt8] = []
    append(placeholder, to: &bytes)
    return bytes
  }

  func append(_ placeholder: KeyPlaceholder, to bytes: inout [UInt8]) {
    switch placeholder {
    case .fact(let fact): append(fact, to: &bytes)
    case .metadata(let name): bytes += (metadata[name] ?? "").utf8
    case .capture(let name): if let text = captures[name] { NameText.append(path: Array(text.utf8)[...], to: &bytes) }
    }
  }

  /// Appends the value of a fact as bytes of UTF-8. Names are written as ``NameText`` does.
  private func append(_ fact: KeyFact, to bytes: inout [UInt8]) {
    switch fact {
    case .spool: bytes += spool.utf8
    case .yyyy: bytes += time.parts(ahead: offset).year.padded(4).utf8
    case .mm: bytes += time.parts(ahead: offset).month.padded(2).utf8
    case .dd: bytes += time.parts(ahead: offset).day.padded(2).utf8
    case .id: bytes += id.ascii
    case .name: NameText.append(name.bytes[...], to: &bytes)
    case .stem: NameText.append(name.stem, to: &bytes)
    case .ext: NameText.append(name.ext, to: &bytes)
    case .job: bytes += job.description.utf8
    case .host: bytes += host.utf8
    // The last digits: the first ones of a UUID of version 7 are the time (RFC 9562, section 5.7).
    case .spread: Hex.append(UInt8(truncatingIfNeeded: id.low), to: &bytes)
    case .path: NameText.append(path: path[...], to: &bytes)
    }
  }
}

extension Template<KeyPlaceholder> {
  func bytes(_ facts: KeyFacts) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    for part in parts {
      switch part {
      case .text(let text): bytes += text.utf8
      case .placeholder(let placeholder): facts.append(placeholder, to: &bytes)
      }
    }
    return bytes
  }
}
