/// A header field of a request or an answer, as a value that is handed from one life of the daemon to the next.
package struct FarHeader: Codable, Hashable, Sendable {
  package var name: String
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

extension [FarHeader] {
  package subscript(first name: String) -> String? {
    let name = name.lowercased()
    return first { $0.name.lowercased() == name }?.value
  }
}
