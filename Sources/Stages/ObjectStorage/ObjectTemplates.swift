import HTTPTransfer
public import Jobs
import Messages
public import Settings

/// The tags, the headers with placeholders, and the lock for objects, rendered from facts that were fixed at the job's admission.
/// A tag or header with an empty value is left out.
public struct ObjectTemplates: Hashable, Sendable {
  private struct Entry<Placeholder: Hashable & Sendable>: Hashable {
    let name: String
    let template: Template<Placeholder>
  }

  private var headers: [Entry<HeaderPlaceholder>]
  private let tags: [Entry<KeyPlaceholder>]
  private var lock: ObjectLock?

  /// No tags, no headers and no lock.
  public static let none = ObjectTemplates()

  private init() { (headers, tags, lock) = ([], [], nil) }

  /// The same templates without the lock, for an object that will be removed again.
  var withoutLock: ObjectTemplates {
    var other = self
    other.headers.removeAll { ObjectLock.has(header: $0.name) }
    other.lock = nil
    return other
  }

  /// Reads templates by name; throws for stray braces and placeholders that are unknown and no parts of file names.
  public init(headers: [String: String], tags: [String: String], lock: ObjectLock?, captures: Set<String> = [])
    throws(TemplateFault)
  {
    self.headers = try Self.entries(headers) { HeaderPlaceholder($0, captures: captures) }
    self.tags = try Self.entries(tags) { KeyPlaceholder($0, captures: captures) }
    self.lock = lock
  }

  private static func entries<P>(_ texts: [String: String], known: (String) -> P?) throws(TemplateFault) -> [Entry<P>] {
    var entries: [Entry<P>] = []
    for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
      entries.append(Entry(name: name, template: try Template(text, known: known)))
    }
    return entries
  }

  /// True if there is nothing to render.
  public var isEmpty: Bool { headers.isEmpty && tags.isEmpty && lock == nil }

  var hasLock: Bool { lock != nil || headers.contains { ObjectLock.has(header: $0.name) } }

  /// The headers of one job's object; throws a failure of kind `rejected` for a tag that S3 does not accept.
  func render(_ facts: KeyFacts) throws(Failure) -> [HTTPHeader] {
    var rendered: [HTTPHeader] = []
    for header in headers {
      let value = Self.headerValue(header, facts)
      if !value.isEmpty { rendered.append(HTTPHeader(header.name, value)) }
    }
    var pairs: [String] = []
    for tag in tags {
      let value = tag.template.text { String(decoding: facts.value($0), as: UTF8.self) }
      if value.isEmpty { continue }
      if let fault = ObjectTag.fault(ofValue: value) {
        throw Failure(.rejected, .tagRefused(tag: DisplayText.escape(tag.name), fault: fault))
      }
      pairs.append(PercentEncoding.component(tag.name) + "=" + PercentEncoding.component(value))
    }
    if !pairs.isEmpty { rendered.append(HTTPHeader("x-amz-tagging", pairs.joined(separator: "&"))) }
    if let lock { rendered += Self.headers(of: lock, facts) }
    return rendered
  }

  private static func headers(of lock: ObjectLock, _ facts: KeyFacts) -> [HTTPHeader] {
    var headers: [HTTPHeader] = []
    if let retention = lock.retention {
      headers.append(HTTPHeader(ObjectLock.prefix + "mode", retention.mode.rawValue.uppercased()))
      headers.append(
        HTTPHeader(ObjectLock.prefix + "retain-until-date", retention.end(from: facts.time).rfc3339))
    }
    if lock.hasLegalHold { headers.append(HTTPHeader(ObjectLock.prefix + "legal-hold", "ON")) }
    return headers
  }

  /// Metadata is encoded like that of a file. In another header, characters of placeholders' values that are not printable ASCII become
  /// `_` in quotes, where some clients do not decode anything (RFC 6266, appendix D), and are percent-encoded elsewhere.
  private static func headerValue(_ header: Entry<HeaderPlaceholder>, _ facts: KeyFacts) -> String {
    guard !header.name.lowercased().hasPrefix("x-amz-meta-") else {
      let value = header.template.text { $0.text(facts) }
      return value.isEmpty ? "" : MetadataHeaders.headerValue(value)
    }
    var bytes: [UInt8] = []
    var isQuoted = false
    for part in header.template.parts {
      switch part {
      case .text(let text):
        bytes += text.utf8
        isQuoted = endsInQuotes(text, after: isQuoted)
      case .placeholder(let placeholder):
        for scalar in placeholder.text(facts).unicodeScalars {
          if scalar.value >= 0x20, scalar.value < 0x7F {
            if isQuoted, scalar == "\"" || scalar == "\\" { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(UInt8(truncatingIfNeeded: scalar.value))
          } else if isQuoted {
            bytes.append(UInt8(ascii: "_"))
          } else {
            bytes += PercentEncoding.component(String(scalar)).utf8
          }
        }
      }
    }
    // Blanks at the ends are not part of a header's value (RFC 9110, 5.5).
    let start = bytes.firstIndex { $0 != 0x20 && $0 != 0x09 } ?? bytes.endIndex
    let end = bytes.lastIndex { $0 != 0x20 && $0 != 0x09 }.map { $0 + 1 } ?? start
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  /// True if a text ends inside a quoted-string (RFC 9110, 5.6.4).
  private static func endsInQuotes(_ text: String, after isQuoted: Bool) -> Bool {
    var (isQuoted, isEscaped) = (isQuoted, false)
    for character in text {
      if character == "\"", !isEscaped { isQuoted.toggle() }
      isEscaped = isQuoted && character == "\\" && !isEscaped
    }
    return isQuoted
  }
}

/// A placeholder of a header. `{name:header}` has the form of an ext-value (RFC 8187), which holds any characters.
private struct HeaderPlaceholder: Hashable {
  let key: KeyPlaceholder
  let isExtended: Bool

  init?(_ name: String, captures: Set<String>) {
    let ending = KeyFact.headerEnding
    isExtended = name.hasSuffix(ending)
    guard let key = KeyPlaceholder(isExtended ? String(name.dropLast(ending.count)) : name, captures: captures) else {
      return nil
    }
    self.key = key
  }

  func text(_ facts: KeyFacts) -> String {
    let text = String(decoding: facts.value(key), as: UTF8.self)
    return isExtended ? "UTF-8''" + PercentEncoding.component(text) : text
  }
}

extension ObjectLock {
  fileprivate static let prefix = "x-amz-object-lock-"

  static func has(header name: String) -> Bool { name.lowercased().hasPrefix(prefix) }
}

extension ObjectTemplates {
  init(_ settings: StorageSettings) throws {
    try self.init(
      headers: settings.headers.filter { $0.value.isTemplate }, tags: settings.tags,
      lock: settings.objectLock, captures: settings.captures)
  }
}

extension String {
  fileprivate var isTemplate: Bool { utf8.contains(UInt8(ascii: "{")) }
}

extension StorageSettings {
  var plainHeaders: [String: String] {
    var headers = headers.filter { !$0.value.isTemplate }
    if case .kms(let key)? = encryption {
      headers["x-amz-server-side-encryption"] = "aws:kms"
      headers["x-amz-server-side-encryption-aws-kms-key-id"] = key
    }
    return headers
  }
}
