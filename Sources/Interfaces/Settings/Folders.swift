import Jobs

/// The directories of spools and archives. None may be the same as another or lie inside it: otherwise a file would be claimed
/// twice, or archived files would be sent again.
struct Folders {
  private struct Folder {
    let section: Section
    let key: String
    let path: String
  }

  private var folders: [Folder] = []

  /// Adds the directory of a spool's key, if it is a valid directory.
  mutating func add(_ section: Section, _ key: String) {
    guard let text = section.table[key]?.text, text.hasPrefix("/"), let path = PlainPath.of(text),
      path != "/"
    else {
      return
    }
    let folder = Folder(section: section, key: key, path: path)
    for other in folders {
      let words =
        if other.path == path {
          "is the same directory as"
        } else if PlainPath.contains(other.path, path) {
          "is inside the directory of"
        } else if PlainPath.contains(path, other.path) {
          "contains the directory of"
        } else {
          ""
        }
      guard !words.isEmpty else { continue }
      section.problem(key, "\(words) \(other.section.keyPath(other.key)), \(quoted(other.path))", Self.remedy)
    }
    folders.append(folder)
  }

  /// Reports a problem if the ledger is in one of the directories, because it would be sent away.
  func check(state: String, _ daemon: Section) {
    for folder in folders where PlainPath.contains(folder.path, state) {
      daemon.problem("state", "is inside the directory of \(folder.section.keyPath(folder.key))", Self.remedy)
    }
  }

  private static let remedy = "give each a directory of its own, side by side"
}

extension Configuration {
  /// Throws if a directory of a spool has the ledger in it. For a reload: the ledger stays where it is, whatever the files say now.
  public func requireLedgerOutside() throws(ConfigurationError) {
    let problems = Problems()
    for spool in spools {
      let folders: [(key: String, path: String?)] = [("path", spool.path), ("archive", spool.archivePath)]
      for case (let key, let path?) in folders where PlainPath.contains(path, daemon.state) {
        problems.add(
          ConfigurationProblem(
            file: places[spool.name]?.file ?? "", line: places[spool.name]?.line, keyPath: "spool.\(spool.name).\(key)",
            words: "has the ledger in it, \(quoted(daemon.state)), which moves only with a restart",
            remedy: "give each a directory of its own, side by side"))
      }
    }
    try problems.throwIfAny()
  }
}
