/// A storage or a backend of the configuration: the target of a step, with slots, gates and pauses of its own.
///
/// The text is made with the value, because the ledger writes it with each change of a job.
public struct Destination: Hashable, Sendable {
  /// The kinds of destinations; the raw value is the section of the configuration.
  public enum Kind: String, Hashable, Sendable {
    case storage
    case backend
  }

  package let kind: Kind
  /// The NAME of `[storage.NAME]` or `[backend.NAME]`.
  public let name: String
  /// The form that the ledger, the API, metrics and journal use: `storage.NAME` or `backend.NAME`.
  public let text: String

  package init(_ kind: Kind, _ name: String) {
    self.kind = kind
    self.name = name
    text = kind.rawValue + "." + name
  }

  /// Reads the form that ``text`` has; nil for any other text, and without a name.
  public init?(_ text: String) {
    guard let dot = text.firstIndex(of: "."), let kind = Kind(rawValue: String(text[..<dot])) else { return nil }
    name = String(text[text.index(after: dot)...])
    guard !name.isEmpty else { return nil }
    self.kind = kind
    self.text = text
  }

  /// Returns a storage, by its name.
  public static func storage(_ name: String) -> Destination { Destination(.storage, name) }

  /// Returns a backend, by its name.
  public static func backend(_ name: String) -> Destination { Destination(.backend, name) }

  /// Compares the texts, which say all.
  public static func == (a: Destination, b: Destination) -> Bool { a.text == b.text }

  /// Hashes the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension Destination: Comparable, CustomStringConvertible {
  /// Orders by the text: backends come before storages.
  public static func < (a: Destination, b: Destination) -> Bool { a.text < b.text }

  /// The same as ``text``.
  public var description: String { text }
}
