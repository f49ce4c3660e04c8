import Jobs
import Linux

extension Section {
  /// Returns the pattern of the marker of groups; nil if the spool takes files.
  mutating func group(recursive: Bool) -> String? {
    guard let marker = text("marker", example: "\"CopyComplete.txt\""), !marker.isEmpty else { return nil }
    guard !marker.contains("/"), marker.utf8.count <= 255 else {
      problem(
        "marker", "\(Quoted(marker)) matches no name", "it is a name or a pattern of 1 to 255 bytes, without a slash")
      return nil
    }
    if recursive {
      problem("recursive", "does not go with marker", "a group has all that is in its directory; remove one of them")
    }
    if table["sidecar"] != nil {
      problem("sidecar", "does not go with marker", "a description is one of the group's files; remove one of them")
    }
    if table["folders"] != nil {
      problem("folders", "has no effect with marker", "the directory of a group goes with its files")
    }
    return marker
  }

  /// Returns the pattern of sidecars' names.
  mutating func sidecar(_ key: String, ignore: [String]) -> SidecarPattern? {
    guard let text = text(key, example: "\"{name}.json\""), !text.isEmpty else { return nil }
    let pattern: SidecarPattern
    do throws(SidecarPattern.Fault) {
      pattern = try SidecarPattern(text)
    } catch {
      problem(key, "\(Quoted(text)) \(error.words)", error.remedy)
      return nil
    }
    let example = pattern.sidecar(of: FileName("document.pdf"))
    if let ignored = ignore.first(where: { ShellPattern($0).matches(example.bytes) }) {
      problem(
        key, "\(Quoted(text)) makes names that ignore leaves alone, by \(Quoted(ignored))", "leave that out of ignore")
      return nil
    }
    return pattern
  }
}
