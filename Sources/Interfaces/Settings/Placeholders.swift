/// The placeholders that the templates of a configuration may have in braces, besides `metadata.NAME`.
enum Placeholders {
  /// The placeholders of a key's template, of a tag and of a header.
  static let key = ["spool", "yyyy", "mm", "dd", "id", "name", "stem", "ext", "job", "host", "path"]
  /// The placeholders of a link's template.
  static let link = ["bucket", "key"] + key

  /// True for a placeholder of a key's template.
  static func isOfKey(_ name: String) -> Bool { key.contains(name) || isMetadata(name) }

  /// True for `metadata.NAME`: what the file carries in `user.waybill.NAME`.
  static func isMetadata(_ name: String) -> Bool { name.hasPrefix("metadata.") && name.utf8.count > 9 }
}
