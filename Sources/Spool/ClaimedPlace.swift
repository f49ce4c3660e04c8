import Jobs

/// Where a claimed file stands in `.waybill`: `ID~NAME`, or `ID/NAME` where that would be over 255 bytes.
enum ClaimedPlace: Equatable {
  case flat([UInt8])
  case nested(directory: [UInt8], name: [UInt8])

  /// NAME_MAX of Linux (limits.h).
  private static let longestName = 255

  init(_ id: JobID, _ name: FileName) {
    let digits = Array(id.description.utf8)
    let flat = digits + [UInt8(ascii: "~")] + name.bytes
    self = flat.count <= Self.longestName ? .flat(flat) : .nested(directory: digits, name: name.bytes)
  }

  /// Reads `ID~NAME`; nil for a name that no claim makes.
  static func parse(_ flat: [UInt8]) -> (id: JobID, name: FileName)? {
    guard flat.count > 37, flat[36] == UInt8(ascii: "~"), let id = id(flat[..<36]) else { return nil }
    return (id, FileName(bytes: Array(flat[37...])))
  }

  /// Reads an id as directories carry it.
  static func id(_ bytes: some Sequence<UInt8>) -> JobID? {
    guard let text = String(validating: Array(bytes), as: UTF8.self) else { return nil }
    return JobID(text)
  }

  /// The path below `.waybill`.
  var path: [UInt8] {
    switch self {
    case .flat(let name): name
    case .nested(let directory, let name): directory + [UInt8(ascii: "/")] + name
    }
  }
}
