import Messages
import Testing

@testable import Credentials

@Suite struct Key256Tests {
  private static let key: [UInt8] = (0..<32).map { $0 * 8 + 5 }
  private static let text = "BQ0VHSUtNT1FTVVdZW11fYWNlZ2lrbW9xc3V3eXt9f0="
  private static let line = Array("0123456789abcdef0123456789abcdef".utf8)

  private static let read: [([UInt8], [UInt8])] = {
    let lineEnd: [UInt8] = [0x0A]
    let (first, last) = (lineEnd + Array(key.dropFirst()), Array(key.dropLast()) + lineEnd)
    let ones = [UInt8](repeating: 0xFF, count: 32)
    var rows: [([UInt8], [UInt8])] = [(key, key), (line, line), (first, first), (last, last), (ones, ones)]
    rows.append((line + lineEnd, line))
    rows.append((key + lineEnd, key))
    for end in ["", "\n", "\r\n"] { rows.append((Array((text + end).utf8), key)) }
    return rows
  }()

  @Test(arguments: read) func readsBytesAndBase64(_ raw: [UInt8], _ bytes: [UInt8]) throws {
    let secret = try Secret(raw, .key256)
    #expect(secret.key256 == bytes)
    // One text for both forms, so that a file that is written in the other form holds the same key.
    #expect(secret == (try Secret(Array(secret.text.utf8), .key256)))
    #expect(secret.text.utf8.count == 44)
  }

  @Test(arguments: [
    "secret", text + "=", String(text.dropLast()), text.replacing("BQ", with: "B!"), text + " ", "\n" + text,
    // 256 bits in hex, as openssl rand -hex 32 writes them.
    String(repeating: "0f", count: 32), String(repeating: "x", count: 31), String(repeating: "x", count: 64),
  ]) func rejectsOtherContent(_ text: String) {
    #expect(throws: KeyFault(.secretNoKey256)) { try Secret(Array(text.utf8), .key256) }
  }

  @Test func reportsEmptyFile() {
    #expect(throws: KeyFault(.secretEmpty)) { try Secret([], .key256) }
  }
}
