@testable import Harness

/// Names that break what is careless: shells, terminals, URLs, headers, logs, text codecs.
struct HostileName: Sendable {
  let bytes: [UInt8]
  /// What the contract makes of it in the object's key.
  let inKey: [UInt8]
  /// What the contract makes of it in `name`.
  let text: String

  /// A name that is UTF-8: key and text are the same.
  private init(_ text: String) {
    bytes = Array(text.utf8)
    inKey = bytes
    self.text = text
  }

  /// A name with bytes that are not UTF-8: each stands as `%HH` in the key and as `\xHH` in `name`.
  private init(_ before: String, not bad: [UInt8], _ after: String = "") {
    let hex = "0123456789abcdef".map(String.init)
    let digits = bad.map { hex[Int($0 >> 4)] + hex[Int($0 & 15)] }
    bytes = Array(before.utf8) + bad + Array(after.utf8)
    inKey = Array((before + digits.map { "%" + $0.uppercased() }.joined() + after).utf8)
    text = before + digits.map { "\\x" + $0 }.joined() + after
  }

  static let all: [HostileName] = text + broken

  /// Names that a spool leaves alone, as they begin with a dot.
  static let ignored: [[UInt8]] = ["...", "..a", ".\u{1B}[2J", "....pdf"].map { Array($0.utf8) }

  private static let text: [HostileName] = [
    " ", "  two  blanks  ", " leading.pdf", "trailing ", "trailing.", "trailing...", "a\nb.pdf", "\n", "a\r\nX-Evil: 1",
    "tab\there.pdf", "\t", "\u{1}\u{2}\u{7}\u{8}\u{B}\u{C}\u{1F}", "delete\u{7F}.pdf", "\u{1B}[2J\u{1B}[31mred.pdf",
    "\u{1B}]0;title\u{7}.pdf", "c1\u{9B}31m\u{85}.pdf", "\"quoted\".pdf", "'single'.pdf", "`id`.pdf", "$(id).pdf",
    "$HOME.pdf", "back\\slash\\n.pdf", "\\", "\\x41.pdf", "emoji 🗂👩‍👩‍👧‍👦🇩🇪.pdf", "🧾", "cafe\u{301}.pdf", "caf\u{E9}.pdf",
    "\u{301}",
    "zalgo\u{300}\u{301}\u{302}\u{303}\u{304}.pdf", "%", "%2F.pdf", "100%.pdf", "%zz%00%0A.pdf", "a%2Fb%252F.pdf",
    "+", "a+b c.pdf", "-", "-rf", "--help", "a?b#c.pdf", "?", "#", "a;b=c&d.pdf", "a=b~c.pdf", "~user.pdf",
    "&<>\"'.xml", "]]>.xml", "<script>.html", "con", "NUL.txt", "a|b>c<d.txt", "*", "[a-z]?.pdf", "{id}{name}.pdf",
    "!history",
    "a:b@c,d.pdf", "\u{202E}fdp.exe", "\u{200F}rtl\u{200E}.pdf", "\u{2066}isolate\u{2069}.pdf", "\u{FEFF}bom.pdf",
    "zero\u{200B}width.pdf", "line\u{2028}para\u{2029}.pdf", "private\u{E000}.pdf", "tag\u{E0041}.pdf", "\u{FFFD}.pdf",
    "日本語 ファイル.pdf", "مرحبا.pdf", "Größe & Maß.pdf", "\u{1F600}\u{FE0F}", "null\u{2400}.pdf",
    String(repeating: "a", count: 251) + ".pdf", String(repeating: "é", count: 127) + "x",
    String(repeating: "日", count: 85), String(repeating: "%", count: 255), String(repeating: "\u{1B}", count: 255),
  ].map { HostileName($0) }

  private static let broken: [HostileName] = [
    .init("", not: [0xFF]), .init("a", not: [0xFF], "b.pdf"), .init("", not: [0x80], ".pdf"),
    .init("overlong", not: [0xC0, 0xAF], "slash"), .init("overlong", not: [0xE0, 0x80, 0xAF], ""),
    .init("surrogate", not: [0xED, 0xA0, 0x80], ".pdf"), .init("cut", not: [0xF0, 0x9F, 0x98]),
    .init("cut", not: [0xE2, 0x82], ".txt"), .init("beyond", not: [0xF4, 0x90, 0x80, 0x80], ".pdf"),
    .init("Gr", not: [0xF6, 0xDF], "e.txt"), .init("日", not: [0xE6], "本\u{1B}.pdf"),
    .init("", not: Array(repeating: 0xFE, count: 255)),
  ]
}
