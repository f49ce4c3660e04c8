import Jobs
import PCRE2

/// The expression for names, and the placeholders that its parts are.
extension Section {
  /// Returns the expression that names of files are to match. Its parts become placeholders of the section.
  mutating func match(_ key: String) -> NamePattern? {
    guard let text = text(key, example: Self.example), !text.isEmpty else { return nil }
    do throws(NameExpressionFault) {
      let pattern = NamePattern(text, captures: try NameExpression(text).captures)
      for name in pattern.captures where Placeholders.all.contains(name) {
        problem(key, "names a part \(name), and {\(name)} is a placeholder already", "give the part another name")
      }
      captures = pattern.captures
      return pattern
    } catch {
      let place = error.position.map { ", at character \($0)" } ?? ""
      problem(
        key, "\(Quoted(text)) is no expression for names: \(error.words)\(place)", "write it like \(Self.example)")
      return nil
    }
  }

  /// The names of parts that are placeholders in these templates.
  func captures(in templates: [String]) -> Set<String> {
    Set(captures.filter { name in templates.contains { $0.contains("{\(name)}") } })
  }

  private static let example = #"'(?<case>\d+)_(?<kind>[a-z]+)\.pdf'"#

  /// Returns the names of parts that a spool's expression has, without a word about its faults: they are told when the spool is read.
  fileprivate mutating func readCaptures() -> [String] {
    guard let text = node("match")?.text else { return [] }
    do throws(NameExpressionFault) {
      return try NameExpression(text).captures
    } catch {
      return []
    }
  }

  /// Returns the destination that a spool names, in the same way.
  fileprivate mutating func readDestination(_ kind: String, among names: Set<String>) -> String? {
    if let text = node(kind)?.text { return text }
    return names.contains("main") ? "main" : names.count == 1 ? names.first : nil
  }
}

/// The parts of names that the files of all spools bring to each destination. Its settings may name them, and are read before those of
/// the spools.
struct DestinationCaptures {
  private(set) var storages: [String: [String]] = [:]
  private(set) var backends: [String: [String]] = [:]

  init(_ spools: [Section], _ destinations: Destinations) {
    for section in spools {
      var section = section
      let captures = section.readCaptures()
      if captures.isEmpty { continue }
      if let storage = section.readDestination("storage", among: destinations.storages) {
        Self.add(captures, to: &storages[storage, default: []])
      }
      if let backend = section.readDestination("backend", among: destinations.backends) {
        Self.add(captures, to: &backends[backend, default: []])
      }
    }
  }

  private static func add(_ captures: [String], to names: inout [String]) {
    for name in captures where !names.contains(name) { names.append(name) }
  }
}
