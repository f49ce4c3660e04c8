public import Jobs
import Messages

/// The template of the objects' keys, e.g. `{spool}/{yyyy}/{mm}/{dd}/{id}/{name}`.
///
/// A key never has an empty, `.` or `..` segment. If an empty value would cause an empty segment, its slash is left out too
/// (`{path}` of a file in the spool itself). If a name would be a segment of dots, it is percent-encoded (`%2E%2E`). Reading the
/// configuration refuses templates that have such segments themselves.
public struct KeyTemplate: Hashable, Sendable {
  /// The maximum number of bytes of a key ("Naming Amazon S3 objects" in the S3 user guide).
  public static let limit = 1024

  private let template: Template<KeyPlaceholder>

  /// Reads a template.
  ///
  /// - Parameter captures: the names of parts of file names.
  /// - Throws: `TemplateFault` for unknown placeholders and stray braces.
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

  /// The common beginning of all keys that the jobs of a spool on a host can have.
  public func prefix(spool: String, host: String) -> String {
    var prefix = ""
    for part in template.parts {
      switch part {
      case .text(let text): prefix += text
      case .placeholder(.fact(.spool)): prefix += spool
      case .placeholder(.fact(.host)): prefix += host
      case .placeholder: return prefix
      }
    }
    return prefix
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
