/// A placeholder of a key, a link, a tag or a header.
enum KeyPlaceholder: Hashable, Sendable {
  /// One of the job's facts.
  case fact(KeyFacts.Fact)
  /// The value that the file carried under this name in `user.waybill.NAME`.
  case metadata(String)

  private static let prefix = "metadata."

  /// Creates the placeholder for a name in braces; nil if there is none.
  init?(_ name: String) {
    if name.hasPrefix(Self.prefix), name.utf8.count > Self.prefix.utf8.count {
      self = .metadata(String(name.dropFirst(Self.prefix.count)))
    } else if let fact = KeyFacts.Fact(rawValue: name) {
      self = .fact(fact)
    } else {
      return nil
    }
  }
}
