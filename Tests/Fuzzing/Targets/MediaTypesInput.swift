import Delivery

/// A table that is none cannot fill the memory.
enum MediaTypesInput {
  static func take(_ bytes: [UInt8]) {
    var tables = MediaTypeTables()
    tables.add(mimeTypes: bytes)
    tables.add(globs: bytes)
    promise(tables.rules.count <= MediaTypeTables.limit, "more names than are kept")
    for (name, rule) in tables.rules {
      promise(!name.isEmpty, "an ending without a name")
      promiseIsShowable(rule.type)
    }
  }
}
