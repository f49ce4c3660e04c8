struct SwiftText {
  private(set) var text = ""
  private var indent = ""

  /// Writes the types. One within another one is written as an extension of that.
  init(_ types: [SwiftType]) {
    line("// Made from share/waybill-api.yaml.")
    line("public import Jobs")
    line("public import Messages")
    for type in types.sorted(by: { $0.name < $1.name }) {
      line("")
      let outer = type.name.split(separator: ".").dropLast().joined(separator: ".")
      if outer.isEmpty {
        declaration(type)
      } else {
        block("extension \(outer)") { $0.declaration(type) }
      }
    }
  }

  private mutating func line(_ words: String) { text += words.isEmpty ? "\n" : "\(indent)\(words)\n" }

  private mutating func block(_ head: String, _ body: (inout SwiftText) -> Void) {
    line(head + " {")
    let before = indent
    indent += "  "
    body(&self)
    indent = before
    line("}")
  }

  private mutating func comment(_ words: String) {
    for part in words.split(separator: "\n") { line("/// \(part)") }
  }

  private mutating func declaration(_ type: SwiftType) {
    let name = type.name.split(separator: ".").last ?? ""
    comment(type.comment)
    if !type.words.isEmpty {
      block("public enum \(name): String, Hashable, Sendable, CaseIterable, JSONValue") { text in
        for word in type.words { text.line("case \(SwiftTypes.camelCase(word, "-")) = \"\(word)\"") }
      }
      return
    }
    block(type.isThere ? "extension \(name): JSONMessage" : "public struct \(name): JSONMessage") { text in
      if !type.isThere { text.members(type) }
      text.reading(type)
      text.writing(type)
    }
  }

  private mutating func members(_ type: SwiftType) {
    if let base = type.base {
      comment("The \(base.name); its members are written beside the others.")
      line("public var \(base.name): \(base.type)")
    }
    for member in type.members {
      comment(member.comment)
      line("public var \(member.name): \(member.type)")
    }
    var parameters = type.base.map { ["\($0.name): \($0.type)"] } ?? []
    parameters += type.members.map { "\($0.name): \($0.type)" + ($0.preset.map { " = \($0)" } ?? "") }
    line("/// Creates it from its members.")
    block("public init(\(parameters.joined(separator: ", ")))") { text in
      for name in (type.base.map { [$0.name] } ?? []) + type.members.map(\.name) { text.line("self.\(name) = \(name)") }
    }
  }

  /// Members are read, and written, in the order of their names: so they are found at once, and equal messages are equal bytes.
  private mutating func reading(_ type: SwiftType) {
    block("package init(json: JSONNode) throws(JSONFault)") { text in
      if let base = type.base { text.line("self.\(base.name) = try \(base.type)(json: json)") }
      if !type.members.isEmpty { text.line("var members = try json.object()") }
      if type.isThere {
        text.line("self.init(\(type.members.map { "\($0.name): \($0.reading)" }.joined(separator: ", ")))")
      } else {
        for member in type.members.sorted(by: { $0.json < $1.json }) {
          text.line("self.\(member.name) = \(member.reading)")
        }
      }
    }
  }

  private mutating func writing(_ type: SwiftType) {
    block("package func writeMembers(into text: inout JSONText)") { text in
      if let base = type.base { text.line("\(base.name).writeMembers(into: &text)") }
      for member in type.members.sorted(by: { $0.json < $1.json }) {
        let call = "text.member(\"\(member.json)\", value: \(member.name))"
        text.line(member.isOptional && !member.isRequired ? "if let \(member.name) { \(call) }" : call)
      }
    }
  }
}
