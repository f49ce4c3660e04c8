/// The name of the description that comes beside a document, as a template: `{name}.json` beside `scan.pdf` is
/// `scan.pdf.json`, and `{stem}.json` is `scan.json`.
///
/// A file whose name fits the pattern is never a document itself.
public struct SidecarPattern: Hashable, Sendable {
  /// The part of the document's name that a pattern has in braces.
  public enum Part: String, Sendable, CaseIterable {
    /// The whole name.
    case name
    /// The name without its last dot and what follows.
    case stem
  }

  /// The kind of text that a sidecar holds, by the ending of its name.
  public enum Format: String, Sendable, CaseIterable {
    /// A JSON object.
    case json
    /// XML, which is kept as text.
    case xml
    /// Any other text.
    case txt
  }

  /// An error: the text is no pattern.
  public struct Fault: Error {}

  /// The maximum number of bytes of a sidecar that is read: its content must fit into a field of the backend's body, into S3's
  /// headers and into a row of the ledger.
  public static let limit = 65_536

  package let text: String
  package let part: Part
  package let format: Format
  private let before: [UInt8]
  private let after: [UInt8]

  /// Reads a pattern.
  /// - Throws: ``Fault`` if it does not have exactly one placeholder, or makes a name that no sidecar can have.
  public init(_ text: String) throws(Fault) {
    let pieces = text.split(separator: "{", omittingEmptySubsequences: false)
    let rest = pieces.count == 2 ? pieces[1].split(separator: "}", omittingEmptySubsequences: false) : []
    guard rest.count == 2, let part = Part(rawValue: String(rest[0])), let dot = rest[1].lastIndex(of: "."),
      let format = Format(rawValue: String(rest[1][dot...].dropFirst())), !text.contains("/"), !text.contains("\0"),
      !text.hasPrefix("."), text.utf8.count <= 200
    else { throw Fault() }
    self.text = text
    self.part = part
    self.format = format
    before = Array(pieces[0].utf8)
    after = Array(rest[1].utf8)
  }

  /// Returns the name of a document's sidecar, with the path that the document's name has.
  public func sidecar(of document: FileName) -> FileName {
    let name = document.last
    let middle =
      switch part {
      case .name: name.bytes
      case .stem: Array(name.stem)
      }
    return FileName(FileName(bytes: before + middle + after), in: document.path)
  }

  /// True if a name, with or without a path, is that of a sidecar.
  public func fits(_ name: FileName) -> Bool {
    let bytes = name.last.bytes
    return bytes.count > before.count + after.count && bytes.starts(with: before)
      && bytes.reversed().starts(with: after.reversed())
  }

  /// Returns the only document that a sidecar can belong to; nil if its name does not show it, as with `{stem}`.
  public func document(of sidecar: FileName) -> FileName? {
    guard part == .name, fits(sidecar) else { return nil }
    let bytes = sidecar.last.bytes
    return FileName(FileName(bytes: Array(bytes.dropFirst(before.count).dropLast(after.count))), in: sidecar.path)
  }
}
