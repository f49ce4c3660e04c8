import FoundationEssentials
import Jobs

/// The column `parcel` of `ticket`: null for one file alone, as most are; otherwise a JSON object.
enum ParcelColumn {
  private struct Record: Codable {
    var sidecar: Sidecar?
    var group: Group?
    var inPlace: Bool?
  }

  private struct Group: Codable {
    var marker: String?
    var files: Int?
  }

  private struct Sidecar: Codable {
    var pattern: String
    var device: UInt64
    var inode: UInt64
    var size: Int64
    var modified: Int64
    var changed: Int64
  }

  static func text(of parcel: Parcel) throws -> String? {
    let record: Record
    switch parcel {
    case .file: return nil
    case .inPlace: record = Record(inPlace: true)
    case .group(let group): record = Record(group: Group(marker: group.marker, files: group.files))
    case .withSidecar(let sidecar):
      let file = sidecar.identity
      record = Record(
        sidecar: Sidecar(
          pattern: sidecar.pattern.text, device: file.device, inode: file.inode, size: file.size,
          modified: file.modified, changed: file.changed))
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(record), as: UTF8.self)
  }

  /// - Throws: ``LedgerError`` for a value that this program does not know.
  static func parcel(_ text: String?) throws -> Parcel {
    guard let text else { return .file }
    do {
      let record = try JSONDecoder().decode(Record.self, from: Data(text.utf8))
      if let group = record.group { return .group(Parcel.Group(marker: group.marker, files: group.files)) }
      if record.inPlace == true { return .inPlace }
      guard let sidecar = record.sidecar else { throw LedgerError(.configuration, "the parcel is not known") }
      return .withSidecar(
        Parcel.Sidecar(
          pattern: try SidecarPattern(sidecar.pattern),
          identity: FileIdentity(
            device: sidecar.device, inode: sidecar.inode, size: sidecar.size, modified: sidecar.modified,
            changed: sidecar.changed)))
    } catch {
      throw LedgerError(.configuration, "the parcel \(text.prefix(200)) is not known to this version")
    }
  }
}
