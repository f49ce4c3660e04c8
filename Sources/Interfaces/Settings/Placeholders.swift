import Jobs

/// The placeholders that the templates of a configuration may have in braces, besides `metadata.NAME`.
enum Placeholders {
  /// The placeholders of a key's template, of a tag and of a header.
  static let key = KeyFact.allCases.map(\.rawValue)
  /// The placeholders of a link's template.
  static let link = ["bucket", "key"] + key
  /// Every name that is a placeholder somewhere. A part of a name cannot have it.
  static let all = Set(link + DocumentFact.allCases.map(\.rawValue) + ["metadata"])
}
