import Jobs
import Messages

/// The column `parcel` of `ticket`: null for one file alone, as most are; otherwise a JSON object.
enum ParcelColumn {
  static func text(of parcel: Parcel) -> String? {
    var text = JSONText()
    switch parcel {
    case .file: return nil
    case .inPlace: text.object { text in text.member("inPlace", true) }
    case .group(let group):
      text.object { text in
        text.key("group")
        text.object { text in
          if let files = group.files { text.member("files", Int64(files)) }
          if let marker = group.marker { text.member("marker", marker) }
        }
      }
    case .withSidecar(let sidecar):
      let file = sidecar.identity
      text.object { text in
        text.key("sidecar")
        text.object { text in
          text.member("changed", file.changed)
          text.member("device", Int64(bitPattern: file.device))
          text.member("inode", Int64(bitPattern: file.inode))
          text.member("modified", file.modified)
          text.member("pattern", sidecar.pattern.text)
          text.member("size", file.size)
        }
      }
    }
    return String(decoding: text.bytes, as: UTF8.self)
  }

  /// - Throws: ``LedgerError`` for a value that this program does not know.
  static func parcel(_ text: String?) throws -> Parcel {
    guard let text else { return .file }
    do {
      var record = try JSONReader.object(Array(text.utf8))
      if try record.optional("inPlace")?.flag() == true { return .inPlace }
      if var group = try record.optional("group")?.object() {
        let files = try group.optional("files")?.integer()
        return .group(Parcel.Group(marker: try group.optional("marker")?.text(), files: files.map { Int($0) }))
      }
      var sidecar = try record.member("sidecar").object()
      let changed = try sidecar.member("changed").integer()
      let device = UInt64(bitPattern: try sidecar.member("device").integer())
      let inode = UInt64(bitPattern: try sidecar.member("inode").integer())
      let modified = try sidecar.member("modified").integer()
      let pattern = try SidecarPattern(sidecar.member("pattern").text())
      let size = try sidecar.member("size").integer()
      return .withSidecar(
        Parcel.Sidecar(
          pattern: pattern,
          identity: FileIdentity(device: device, inode: inode, size: size, modified: modified, changed: changed)))
    } catch {
      throw LedgerError(.configuration, "the parcel \(text.prefix(200)) is not known to this version")
    }
  }
}
