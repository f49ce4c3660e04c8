import Delivery

/// A table that is none cannot fill the memory.
enum MediaTypesInput {
  static func take(_ bytes: [UInt8]) {
    var types = MediaTypes()
    types.add(mimeTypes: bytes)
    types.add(globs: bytes)
    promise(types.rules.count <= MediaTypes.limit, "more names than are kept")
    for (name, rule) in types.rules {
      promise(!name.isEmpty, "an ending without a name")
      promiseIsShowable(rule.type)
    }
  }
}
