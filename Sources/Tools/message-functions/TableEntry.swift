import FoundationEssentials

struct TableEntry {
  let code: String
  private let english: String
  private let chinese: String
  /// The places of values, each with its type.
  private let places: [(name: String, type: ValueType)]

  /// Reads a table: comments begin with `#`, and empty lines count as nothing.
  static func entries(of table: URL) throws -> [TableEntry] {
    let words = String(decoding: try Data(contentsOf: table), as: UTF8.self)
    let lines = words.split(separator: "\n").filter { !$0.hasPrefix("#") }
    guard lines.count.isMultiple(of: 3) else { throw TableFault(table.path, "an entry is a code and two lines") }
    return try stride(from: 0, to: lines.count, by: 3).map {
      try TableEntry(lines[$0..<$0 + 3].map(String.init), table)
    }
  }

  private init(_ lines: [String], _ table: URL) throws {
    code = lines[0]
    guard code.wholeMatch(of: /[a-z][a-z0-9-]*/) != nil, lines[1...].allSatisfy({ $0.hasPrefix("  ") }) else {
      throw TableFault(table.path, "this is not an entry: \(code)")
    }
    (english, chinese) = (String(lines[1].dropFirst(2)), String(lines[2].dropFirst(2)))
    var places: [(name: String, type: ValueType)] = []
    for place in english.matches(of: Self.place) where !places.contains(where: { $0.name == place.1 }) {
      guard let type = ValueType(rawValue: String(place.2 ?? "")) else {
        throw TableFault(table.path, "\(code): there is no type \(place.2 ?? "")")
      }
      places.append((String(place.1), type))
    }
    self.places = places
    let others = Set(chinese.matches(of: Self.place).map { String($0.1) })
    let odd = others.symmetricDifference(places.map(\.name))
    guard odd.isEmpty else { throw TableFault(table.path, "\(code): \(odd.sorted()) is in one language alone") }
  }

  private static var place: Regex<(Substring, Substring, Substring?)> { /\{(\w+)(?::(\w+))?\}/ }

  var function: String {
    let doc = "  /// `\(english.replacing(Self.place) { "{\($0.1)}" })`\n"
    let words = code.split(separator: "-")
    let name = words.dropFirst().reduce(String(words[0])) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    guard !places.isEmpty else { return doc + "  public static let \(name) = Message(code: \"\(code)\")\n" }
    let parameters = places.map { "\(code == "text" ? "_ " : "")\($0.name): \($0.type.swift)" }
    let values = places.map { "\"\($0.name)\": \($0.type.value("`\($0.name)`"))" }
    return doc + """
        public static func \(name)(\(parameters.joined(separator: ", "))) -> Message {
          Message(code: "\(code)", [\(values.joined(separator: ", "))])
        }

      """
  }

  var form: String { "    MessageForm(\"\(code)\", \(quoted(english)), \(quoted(chinese))),\n" }

  private func quoted(_ words: String) -> String {
    "\"\(words.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
  }
}
