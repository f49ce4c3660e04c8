import Delivery

/// A table that is none cannot fill the memory.
enum MediaTypesInput {
  static func take(_ bytes: [UInt8]) {
    let types = MediaTypes(table: bytes).types
    promise(types.count <= MediaTypes.limit, "more endings than are kept")
    for (ending, type) in types {
      promise(!ending.isEmpty, "an ending without characters")
      promiseIsShowable(type)
    }
  }
}
