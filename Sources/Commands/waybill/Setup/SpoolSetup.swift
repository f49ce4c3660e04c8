import FoundationEssentials
import Jobs
import Linux
import Messages
import Spool

/// A directory that becomes a spool, with the commands that make it one.
struct SpoolSetup {
  let path: String
  var archive: String?
  /// The group of those who drop files; nil for the usual one.
  let group: String?
  /// True if files stay where they are: then the daemon only reads there.
  var keepsFiles = false
  let place: SetupPlace

  static let usual = "/var/spool/waybill/documents"

  /// Returns the reason why a path cannot be a spool's that a unit can name; nil for one that can.
  static func fault(of path: String) -> String? {
    let isPlain =
      path.hasPrefix("/") && path.count > 1 && !path.contains("//") && !path.hasSuffix("/")
      && UnitDropIn.canName(path) && !path.split(separator: "/").contains { $0 == "." || $0 == ".." }
    return isPlain
      ? nil
      : "\(DisplayText.escape(path)) is not an absolute path: begin it with /, without //, . or .. in it or / at its end, nor "
        + "quotes, a backslash or a colon, which a unit cannot name."
  }

  /// The drop-ins for the directories where the unit does not let the daemon write.
  var dropIns: [SetupFile] {
    guard let unit = place.unit else { return [] }
    return [keepsFiles ? nil : path, archive].compactMap(\.self).filter { !$0.hasPrefix("/var/spool/waybill/") }
      .map { UnitDropIn(path: $0).file(for: unit) }
  }

  var commands: [String] {
    let recipe = DirectoryRecipe(user: place.user, droppers: group)
    var commands = keepsFiles || owner == place.user && group == nil ? [] : recipe.spool(path)
    if let archive, !FileManager.default.fileExists(atPath: archive) { commands += recipe.archive(archive) }
    return dropIns.isEmpty ? commands : commands + ["systemctl daemon-reload"]
  }

  var remarks: [String] {
    var remarks: [String] = []
    if let owner, owner != place.user, owner != "root", !keepsFiles {
      let droppers = DisplayText.escape(group ?? "waybill-drop")
      remarks.append("\(path) belongs to \(owner), who keeps his access by: usermod -aG \(droppers) \(owner)")
    }
    // Ignored: one that is not there, or cannot be read, has no files to be told of.
    let names = (try? smallDirectoryNames(path: path, limit: .max)) ?? []
    let wanted = WantedNames(SpoolOptions(name: "", path: path))
    let count = names.count { wanted.contains(FileName(bytes: $0)) }
    if count > 0 {
      let end = keepsFiles ? ", and stay" : archive.map { " and then moved to \($0)" } ?? " and then removed"
      remarks.append((count == 1 ? "1 file is there. It" : "\(count) files are there. They") + " will be sent\(end).")
    }
    return remarks
  }

  private var owner: String? {
    // Ignored: as one that is not there.
    (try? FileFacts(following: path)).map { UserName.of($0.owner) }
  }
}

enum TOMLText {
  /// Returns a string as TOML writes it, which is as JSON does.
  static func quoted(_ text: String) -> String {
    var json = JSONText()
    json.value(text)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  static func spool(_ path: String, name: String? = nil) -> String {
    let name = name ?? spoolName(of: path)
    let nameLine = path.hasSuffix("/" + name) ? "" : "name = \(quoted(name))\n"
    return "[[spool]]\n\(nameLine)path = \(quoted(path))\n"
  }

  /// Returns the name that a spool gets by its path: the last part, with "-" for what a name cannot have, but not at its beginning,
  /// where an option would begin.
  static func spoolName(of path: String) -> String {
    let last = path.split(separator: "/").last ?? ""
    let name = last.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "-" }.drop { $0 == "-" }
    return name.isEmpty ? "spool" : String(name.prefix(64))
  }
}
