/// The placeholders that the templates of a configuration may have in braces.
enum Placeholders {
  /// The placeholders of a key's template.
  static let key = ["spool", "yyyy", "mm", "dd", "id", "name", "stem", "ext", "job", "host", "path"]
  /// The placeholders of a link's template.
  static let link = ["bucket", "key"] + key
}
