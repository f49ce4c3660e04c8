/// A fault of a table, with the place that has it.
struct TableFault: Error, CustomStringConvertible {
  let description: String

  init(_ place: String, _ words: String) { description = "\(place): \(words)" }
}
