import ChildProcesses
import Testing

@testable import Messages

/// The table of all codes, in both languages.
@Suite struct MessageTableTests {
  private static func places(_ form: String) -> [String: MessageForm.Style] {
    var places: [String: MessageForm.Style] = [:]
    for case .value(let name, let style) in MessageForm.pieces(form) { places[name] = style }
    return places
  }

  @Test func noCodeIsThereTwice() {
    #expect(MessageTable.all.count > 300)
    #expect(Set(MessageTable.all.map(\.code)).count == MessageTable.all.count)
    for form in MessageTable.all { #expect(form.code.wholeMatch(of: /[a-z][a-z0-9]*(-[a-z0-9]+)*/) != nil) }
  }

  /// A message of which English has another value than Chinese would lose it in one of them.
  @Test func eachValueIsInBothLanguages() {
    for form in MessageTable.all {
      let english = form.english.compactMap { piece in if case .value(let name, _) = piece { name } else { nil } }
      #expect(Set(english) == Set(Self.places(form.chinese).keys), "\(form.code)")
      #expect(!form.chinese.isEmpty, "\(form.code)")
    }
  }

  /// Each is rendered with a sample for each of its values, and nothing of a form is left.
  @Test func eachIsRendered() {
    for form in MessageTable.all {
      var arguments: [String: Message.Value] = [:]
      for case .value(let name, _) in form.english { arguments[name] = .text("<\(name)>") }
      let words = Message(code: form.code, arguments).text
      for (name, value) in arguments {
        guard case .text(let sample) = value else { continue }
        #expect(words.contains(sample) || words.lowercased().contains(sample), "\(form.code) without \(name): \(words)")
      }
      #expect(!words.contains("{") && !words.contains("}"), "\(form.code): \(words)")
      // the words between are those of the table
      for case .words(let text) in form.english { #expect(words.contains(text), "\(form.code): \(words)") }
      let chinese = MessageForm.pieces(form.chinese).reduce(into: "") { words, piece in
        switch piece {
        case .words(let text): words += text
        case .value(let name, _): words += "<\(name)>"
        }
      }
      #expect(!chinese.contains("{") && !chinese.contains("}"), "\(form.code): \(chinese)")
    }
  }

  /// What is a value alone, a name of HTTP's, or a command has no word of a language.
  @Test func theChineseIsChinese() {
    for form in MessageTable.all {
      let words = MessageForm.pieces(form.chinese).compactMap { piece in
        if case .words(let text) = piece { text } else { nil }
      }.joined().replacing(/HEAD|health/, with: "")
      guard words.contains(where: \.isLetter), !words.hasPrefix("HTTP"), !words.hasPrefix("waybill") else { continue }
      #expect(words.unicodeScalars.contains { (0x4E00...0x9FFF).contains($0.value) }, "\(form.code): \(words)")
    }
  }

  @Test func aCodeThatIsNotKnownIsShownWithItsValues() {
    #expect(
      Message(code: "of-the-future", ["path": .text("/a"), "size": .number(3)]).text
        == "of-the-future (path: /a, size: 3)")
    #expect(Message(code: "of-the-future").text == "of-the-future")
    #expect(Message(code: "spool-disappeared").text == "the spool directory … has disappeared")
  }

  /// The page has each form as a line of JSON in a script.
  @Test func theScriptHasEachForm() {
    let script = String(decoding: MessageTable.script, as: UTF8.self)
    #expect(script.hasPrefix("\"use strict\";\nconst MESSAGES = {\n"))
    for form in MessageTable.all { #expect(script.contains("\n\"\(form.code)\": \"")) }
  }
}
