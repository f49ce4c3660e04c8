/// The drop-in that lets a hardened unit work in a directory (systemd.exec(5), "Sandboxing").
struct UnitDropIn {
  let path: String

  var fileName: String {
    let shown = path.utf8.map { byte -> String in
      let character = Character(Unicode.Scalar(byte))
      if character == "/" { return "-" }
      let isPlain = character.isASCII && (character.isLetter || character.isNumber) || "._".contains(character)
      return isPlain ? String(character) : "~" + String(byte, radix: 16)
    }
    return "spool" + shown.joined() + ".conf"
  }

  var text: String {
    """
    [Unit]
    RequiresMountsFor=\(quoted(path))
    [Service]
    \(access)

    """
  }

  /// With a "-", so that the service starts even without the directory and reports in words that it is missing.
  private var access: String {
    func isIn(_ folders: String...) -> Bool { folders.contains { path == $0 || path.hasPrefix($0 + "/") } }
    // PrivateTmp= gives the service others of its own.
    if isIn("/tmp", "/var/tmp") { return "BindPaths=\(quoted("-" + path))" }
    guard isIn("/home", "/root", "/run/user") else { return "ReadWritePaths=\(quoted("-" + path))" }
    // ReadWritePaths= opens nothing in a hidden directory. A mount into an empty /home shows only this directory.
    return "ProtectHome=tmpfs\nBindPaths=\(quoted("-" + path))"
  }

  /// A word of a unit file (systemd.syntax(7)), without specifiers (systemd.unit(5)).
  private func quoted(_ text: String) -> String {
    let word = String(text.flatMap { $0 == "%" ? "%%" : String($0) })
    return word.contains(where: { " ;#".contains($0) }) ? "\"\(word)\"" : word
  }

  /// True if units can name the path: the settings treat quotes, backslashes and colons in different ways.
  static func canName(_ path: String) -> Bool {
    path.unicodeScalars.allSatisfy { $0.value >= 0x20 && !"\\\"':".unicodeScalars.contains($0) }
  }

  func file(for unit: String, in root: String = "/etc/systemd/system") -> SetupFile {
    SetupFile(
      path: "\(root)/\(unit).d/\(fileName)", bytes: Array(text.utf8),
      remedy: "put into it what is missing of: " + text.split(separator: "\n").joined(separator: ", "))
  }
}
