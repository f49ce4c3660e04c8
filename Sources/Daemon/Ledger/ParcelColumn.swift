import Jobs
import Messages

/// The column `parcel` of `ticket`: null for one file alone, as most are; otherwise a JSON object.
enum ParcelColumn {
  static func text(of parcel: Parcel) -> String? {
    var json = JSONText()
    switch parcel {
    case .file: return nil
    case .inPlace: json.object { json in json.member("inPlace", true) }
    case .group(let group):
      json.object { json in
        json.key("group")
        json.object { json in
          json.member("marker", group.marker)
          json.member("files", group.files.map { Int64($0) })
        }
      }
    case .withSidecar(let sidecar):
      let file = sidecar.identity
      json.object { json in
        json.key("sidecar")
        json.object { json in
          json.member("pattern", sidecar.pattern.text)
          json.member("device", Int64(bitPattern: file.device))
          json.member("inode", Int64(bitPattern: file.inode))
          json.member("size", file.size)
          json.member("modified", file.modified)
          json.member("changed", file.changed)
        }
      }
    }
    return String(decoding: json.bytes, as: UTF8.self)
  }

  /// - Throws: ``LedgerError`` for a value that this program does not know.
  static func parcel(_ text: String?) throws -> Parcel {
    guard let text else { return .file }
    do {
      var record = try JSONReader.object(Array(text.utf8))
      if var group = try record.optional("group")?.object() {
        let marker = try group.optional("marker")?.text()
        return .group(Parcel.Group(marker: marker, files: try (group.optional("files")?.integer()).map { Int($0) }))
      }
      if try record.optional("inPlace")?.flag() == true { return .inPlace }
      var sidecar = try record.member("sidecar").object()
      return .withSidecar(
        Parcel.Sidecar(
          pattern: try SidecarPattern(sidecar.member("pattern").text()),
          identity: FileIdentity(
            device: UInt64(bitPattern: try sidecar.member("device").integer()),
            inode: UInt64(bitPattern: try sidecar.member("inode").integer()),
            size: try sidecar.member("size").integer(), modified: try sidecar.member("modified").integer(),
            changed: try sidecar.member("changed").integer())))
    } catch {
      throw LedgerError(.configuration, "the parcel \(text.prefix(200)) is not known to this version")
    }
  }
}
