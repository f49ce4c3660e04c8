/// The names of the storages and backends of a configuration, even if their contents have problems.
struct Destinations {
  var storages: Set<String> = []
  var backends: Set<String> = []
}

extension Section {
  /// Returns the destination that a spool names; without a name, the only one, or the one named `main`.
  mutating func destination(_ kind: String, among names: Set<String>) -> String? {
    let listed = Quoted.list(names.sorted())
    guard let text = text(kind, example: "\"main\"") else {
      if table[kind] != nil || names.isEmpty { return nil }
      if names.contains("main") { return "main" }
      if names.count == 1 { return names.first }
      problem(kind, "missing", "there are several, so name one of \(listed)")
      return nil
    }
    guard names.contains(text) else {
      problem(
        kind, "there is no [\(kind).\(KeyText.shown(text))]",
        names.isEmpty ? "add it, with its keys" : "there is \(listed)")
      return nil
    }
    return text
  }
}
