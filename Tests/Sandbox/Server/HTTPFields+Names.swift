import HTTPTypes

extension HTTPFields {
  /// Fields by plain names; a name that HTTP does not allow is left out.
  init(_ fields: [String: String]) {
    self.init()
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) { add(name, value) }
  }

  /// The value under a plain name; several values are joined by commas.
  subscript(name: String) -> String? {
    get { HTTPField.Name(name).flatMap { self[$0] } }
    set { if let name = HTTPField.Name(name) { self[name] = newValue } }
  }

  mutating func add(_ name: String, _ value: String) {
    guard let name = HTTPField.Name(name) else { return }
    append(HTTPField(name: name, value: value))
  }
}
