/// The placeholders that the templates of a configuration may have in braces, besides `metadata.NAME`.
enum Placeholders {
  /// The placeholders in the template of a key, a tag or a header.
  static let key = ["spool", "yyyy", "mm", "dd", "id", "name", "stem", "ext", "job", "host", "path"]
  /// The placeholders in the template of a link.
  static let link = ["bucket", "key"] + key

  /// Returns true for a placeholder of a key's template.
  static func isOfKey(_ name: String) -> Bool { key.contains(name) || isMetadata(name) }

  /// Returns true for `metadata.NAME`: the value that the file carries in `user.waybill.NAME`.
  static func isMetadata(_ name: String) -> Bool { name.hasPrefix("metadata.") && name.utf8.count > 9 }
}
