import Messages
import Testing

@testable import Credentials

@Suite struct SecretTests {
  @Test(arguments: ["key", "key\n", "key\r\n", "key\n\n", "\u{FEFF}key\n"])
  func trimsTrailingLineEnds(raw: String) throws {
    #expect(try Secret(Array(raw.utf8)).text == "key")
  }

  @Test func keepsSpaces() throws {
    #expect(try Secret(Array(" a b ".utf8)).text == " a b ")
  }

  @Test(arguments: [
    ("", Message.secretEmpty), ("\n", .secretEmpty), ("a\nb", .secretControlCharacter),
    ("a\r\nX-Evil: 1\r\n", .secretControlCharacter), ("a\u{0}", .secretControlCharacter),
    ("a\u{7F}b", .secretControlCharacter), ("a\tb", .secretControlCharacter),
  ])
  func refusesValuesUnfitForHeaders(raw: String, fault: Message) {
    #expect(throws: KeyFault(fault)) { try Secret(Array(raw.utf8)) }
  }

  @Test func refusesInvalidUTF8() {
    #expect(throws: KeyFault(.secretNotText)) { try Secret([0x61, 0xFF]) }
  }

  @Test func limitsValueTo64KiB() throws {
    #expect(try Secret([UInt8](repeating: 0x61, count: Secret.limit)).bytes.count == 65536)
    #expect(throws: KeyFault(.secretTooLong)) { try Secret([UInt8](repeating: 0x61, count: Secret.limit + 1)) }
  }

  @Test func printingRedactsSecrets() throws {
    let secret = try Secret(Array("hunter2".utf8))
    var dumped = ""
    dump(secret, to: &dumped)
    let reading = CredentialReader.Reading(value: .secret(secret), generation: 1)
    for text in ["\(secret)", String(reflecting: secret), dumped, "\(reading)", String(reflecting: [secret])] {
      #expect(!text.contains("hunter2"))
      #expect(text.contains("<secret>"))
    }
  }
}
