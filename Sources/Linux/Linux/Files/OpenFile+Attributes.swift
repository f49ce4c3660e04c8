import CLinux
import Glibc
import Seams

/// The extended attributes that were read from a file.
public struct ExtendedAttributes: Hashable, Sendable {
  /// The values by full name, e.g. `user.mime_type`.
  public var values: [String: [UInt8]]
  /// True if there were more than the limits allow; then it has the first ones, sorted by name, or none if the kernel does not list so many.
  public var wasCut: Bool
}

extension OpenFile {
  /// The maximum size of listxattr's result (XATTR_LIST_MAX in linux/limits.h).
  private static var longestList: Int { 65_536 }

  /// Returns the wanted extended attributes, sorted by the bytes of their names, until `count` attributes or `bytes` of names and
  /// values are reached. A file system without attributes gives none.
  public func attributes(
    where isWanted: (String) -> Bool, count: Int, bytes: Int
  ) throws(FileError) -> ExtendedAttributes {
    var found = ExtendedAttributes(values: [:], wasCut: false)
    var left = bytes
    guard let names = try attributeNames() else {
      found.wasCut = true
      return found
    }
    for name in names.filter(isWanted).sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      // To a `String`, as to most JSON parsers, names that differ in Unicode normalization alone are one: the first one counts.
      if found.values[name] != nil { continue }
      guard found.values.count < count, let value = try attribute(name, limit: left - name.utf8.count) else {
        found.wasCut = true
        break
      }
      left -= name.utf8.count + value.count
      found.values[name] = value
    }
    return found
  }

  /// The names that are UTF-8. Waybill uses no others. Nil if the kernel does not list them, because they are too many.
  private func attributeNames() throws(FileError) -> [String]? {
    let needed = SystemCall.listxattr.made(on: descriptor.number) {
      clinux_list_attributes(descriptor.number, nil, 0)
    }
    if needed == 0 { return [] }
    guard needed > 0 else {
      if errno == ENOTSUP { return [] }
      if errno == E2BIG { return nil }
      throw FileError("list attributes of", shown, errno: errno)
    }
    var failure: Int32 = 0
    let list = unsafe [CChar](unsafeUninitializedCapacity: Self.longestList) { buffer, filled in
      let got = SystemCall.listxattr.made(on: descriptor.number) {
        unsafe clinux_list_attributes(descriptor.number, buffer.baseAddress, buffer.count)
      }
      if got < 0 { failure = errno } else { filled = got }
    }
    if failure == E2BIG { return nil }
    guard failure == 0 else { throw FileError("list attributes of", shown, errno: failure) }
    return list.split(separator: 0).compactMap {
      String(validating: $0.lazy.map(UInt8.init(truncatingIfNeeded:)), as: UTF8.self)
    }
  }

  /// Returns one value; nil if it is longer than the limit, empty if it was removed after it was listed.
  private func attribute(_ name: String, limit: Int) throws(FileError) -> [UInt8]? {
    guard limit >= 0 else { return nil }
    var failure: Int32 = 0
    let value = unsafe [UInt8](unsafeUninitializedCapacity: limit + 1) { buffer, filled in
      let got = SystemCall.getxattr.made(on: descriptor.number) {
        unsafe clinux_get_attribute(descriptor.number, name, buffer.baseAddress, buffer.count)
      }
      if got < 0 { failure = errno } else { filled = got }
    }
    switch failure {
    case 0: return value.count <= limit ? value : nil
    case ERANGE: return nil
    case ENODATA: return []
    default: throw FileError("read attribute \(name) of", shown, errno: failure)
    }
  }
}
