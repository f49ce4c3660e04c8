/// What the templates of a configuration may name in braces.
enum Placeholders {
  /// A key's template.
  static let key = ["spool", "yyyy", "mm", "dd", "id", "name", "stem", "ext", "job", "host", "path"]
  /// A link's template.
  static let link = ["bucket", "key"] + key
}
