/// The regular expression for the names of a spool's files. The configuration has checked it.
public struct NamePattern: Hashable, Sendable {
  package let text: String
  package let captures: [String]

  package init(_ text: String, captures: [String]) {
    self.text = text
    self.captures = captures
  }
}
