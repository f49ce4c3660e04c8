package import Jobs

/// The place of a claimed file in `.waybill`: `ID~NAME`, or `ID/PATH/NAME` if there is a path to keep, or if `ID~NAME` would
/// be over 255 bytes.
///
/// Names here are those that the files were dropped under, preceded by their path in a recursive spool.
package enum ClaimedPath: Equatable {
  case flat([UInt8])
  /// `folders` are all directories from `ID` down, each by its path.
  case nested(folders: [[UInt8]], name: [UInt8])

  /// NAME_MAX of Linux (limits.h).
  private static let longestName = 255
  private static let idLength = 36
  private static let slash = UInt8(ascii: "/")

  package init(_ id: JobID, _ dropped: FileName) {
    let digits = id.ascii
    if Self.isFlat(dropped) {
      var flat = digits
      flat.reserveCapacity(digits.count + 1 + dropped.bytes.count)
      flat.append(UInt8(ascii: "~"))
      flat += dropped.bytes
      self = .flat(flat)
      return
    }
    var folders = [digits]
    for component in dropped.path.split(separator: Self.slash) {
      folders.append((folders.last ?? digits) + [Self.slash] + component)
    }
    self = .nested(folders: folders, name: dropped.last.bytes)
  }

  /// Returns the directories to create for a claim, like ``folders``.
  static func folders(_ id: JobID, _ dropped: FileName) -> [[UInt8]] {
    isFlat(dropped) ? [] : ClaimedPath(id, dropped).folders
  }

  private static func isFlat(_ dropped: FileName) -> Bool {
    idLength + 1 + dropped.bytes.count <= longestName && !dropped.bytes.contains(slash)
  }

  /// Reads `ID~NAME`; returns nil for a name that no claim makes.
  package static func parse(_ flat: [UInt8]) -> (id: JobID, name: FileName)? {
    guard flat.count > idLength + 1, flat[idLength] == UInt8(ascii: "~"), let id = id(flat[..<idLength]) else {
      return nil
    }
    return (id, FileName(bytes: Array(flat[(idLength + 1)...])))
  }

  /// Reads an id as claims write it. Only the form in lower case is accepted, because only that finds the file again.
  static func id(_ bytes: some Sequence<UInt8>) -> JobID? {
    guard let text = String(validating: Array(bytes), as: UTF8.self), let id = JobID(text), id.description == text
    else { return nil }
    return id
  }

  /// The directories of the claim, from `ID` down; empty for a flat place.
  var folders: [[UInt8]] {
    switch self {
    case .flat: []
    case .nested(let folders, _): folders
    }
  }

  /// The path below `.waybill`.
  var path: [UInt8] {
    switch self {
    case .flat(let name): name
    case .nested(let folders, let name): (folders.last ?? []) + [Self.slash] + name
    }
  }
}
