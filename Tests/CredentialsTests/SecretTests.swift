import Testing

@testable import Credentials

@Suite struct SecretTests {
  @Test(arguments: ["key", "key\n", "key\r\n", "key\n\n"])
  func `line ends after the value are trimmed`(raw: String) throws {
    #expect(try Secret(Array(raw.utf8)).text == "key")
  }

  @Test func `blanks belong to the value`() throws {
    #expect(try Secret(Array(" a b ".utf8)).text == " a b ")
  }

  @Test(arguments: [
    ("", Secret.Fault.empty), ("\n", .empty), ("a\nb", .controlCharacter), ("a\r\nX-Evil: 1\r\n", .controlCharacter),
    ("a\u{0}", .controlCharacter), ("a\u{7F}b", .controlCharacter), ("a\tb", .controlCharacter),
  ])
  func `what is not fit for a header is refused`(raw: String, fault: Secret.Fault) {
    #expect(throws: fault) { try Secret(Array(raw.utf8)) }
  }

  @Test func `bytes that are not UTF-8 are refused`() {
    #expect(throws: Secret.Fault.notText) { try Secret([0x61, 0xFF]) }
  }

  @Test func `a value may have 64 KiB and no more`() throws {
    #expect(try Secret([UInt8](repeating: 0x61, count: Secret.limit)).bytes.count == 65536)
    #expect(throws: Secret.Fault.tooLong) { try Secret([UInt8](repeating: 0x61, count: Secret.limit + 1)) }
  }

  @Test func `nothing that prints a secret shows it`() throws {
    let secret = try Secret(Array("hunter2".utf8))
    var dumped = ""
    dump(secret, to: &dumped)
    let reading = CredentialReader.Reading(secret: secret, generation: 1)
    for text in ["\(secret)", String(reflecting: secret), dumped, "\(reading)", String(reflecting: [secret])] {
      #expect(!text.contains("hunter2"))
      #expect(text.contains("<secret>"))
    }
  }
}
