import ChildProcesses
import Testing

@testable import Messages

@Suite struct MessageTableTests {
  private static func places(_ form: MessageForm, _ language: ReaderLanguage) -> Set<String> {
    Set(form.pieces(language).compactMap { piece in if case .value(let name, _) = piece { name } else { nil } })
  }

  /// Each is rendered with a sample for each of its values, and nothing of a form is left.
  @Test(arguments: ReaderLanguage.allCases) func eachIsRendered(language: ReaderLanguage) {
    for form in MessageTable.all {
      var arguments: [String: Message.Value] = [:]
      for name in Self.places(form, language) { arguments[name] = .text("<\(name)>") }
      let words = Message(code: form.code, arguments).text(in: language)
      for name in arguments.keys {
        #expect(words.lowercased().contains("<\(name.lowercased())>"), "\(form.code): \(words)")
      }
      #expect(!words.contains("{") && !words.contains("}"), "\(form.code): \(words)")
      // the words between are those of the table
      for case .words(let text) in form.pieces(language) { #expect(words.contains(text), "\(form.code): \(words)") }
    }
  }

  /// What is a value alone, a name of HTTP's, or a command has no word of a language.
  @Test func theChineseIsChinese() {
    for form in MessageTable.all {
      let words = form.pieces(.chinese).compactMap { piece in
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
}
