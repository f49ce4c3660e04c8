/// The conditions for a backend's answer to count as a success.
extension Section {
  mutating func success(_ key: String) -> BackendSettings.Success {
    var success = BackendSettings.Success()
    guard var inner = section(key, example: "\(key) = { status = [200, 201], json = \"ok\" }") else { return success }
    success.statuses = inner.statuses("status")
    success.member = inner.memberPath("json")
    inner.finish()
    return success
  }

  /// Returns the statuses of success; nil if they are not set.
  private mutating func statuses(_ key: String) -> Set<Int>? {
    let example = "\(key) = [200, 201]"
    guard let nodes = array(key, atMost: 100, of: "integers", example: example) else { return nil }
    guard !nodes.isEmpty else {
      problem(key, "is empty, so no answer would be a success", "write it like \(example), or leave it out")
      return nil
    }
    var statuses: Set<Int> = []
    for node in nodes {
      guard case .integer(let status) = node.value else {
        problem(key, "has \(node.shown) in it where an integer belongs", "write it like \(example)", line: node.line)
        return nil
      }
      guard (200..<300).contains(status) else {
        problem(key, "\(status) is not a success", "a status may be 200 to 299", line: node.line)
        return nil
      }
      statuses.insert(status)
    }
    return statuses
  }

  /// Returns the names between the dots; nil if there is no path.
  private mutating func memberPath(_ key: String) -> [String]? {
    let example = "\"ok\" or \"result.accepted\""
    guard let text = optionalText(key, example: example) else { return nil }
    let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard !names.contains(""), names.count <= 16, text.utf8.count <= 256 else {
      problem(
        key, "\(Quoted(text)) is not a path to a member",
        "write it like \(key) = \(example): up to 16 names with a dot between them, 256 bytes in all")
      return nil
    }
    return names
  }
}
