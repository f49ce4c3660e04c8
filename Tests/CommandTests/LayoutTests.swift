import Testing

@testable import ControlAPI
@testable import CommandParts
@testable import waybill

struct LayoutTests {
  @Test(arguments: [
    ("abc", 3), ("", 0), ("日本", 4), ("e\u{301}", 1), ("👩‍👩‍👧", 2), ("❤️", 2), ("🇩🇪", 2),
  ])
  func countsCharacterColumns(text: String, columns: Int) {
    #expect(TextWidth.of(text) == columns)
  }

  @Test func truncatesWithEllipsis() {
    #expect(TextWidth.fit("abcdef", 6) == "abcdef")
    #expect(TextWidth.fit("abcdef", 5) == "abcd…")
    #expect(TextWidth.fit("日本語", 4) == "日…")
    #expect(TextWidth.fit("abc", 0) == "")
  }

  @Test(arguments: [
    (0, "0s"), (59, "59s"), (60, "1min"), (3_661, "1h 1min"), (86_400, "1d"), (90_061, "1d 1h"), (86_460, "1d"),
    (-5, "0s"),
  ])
  func agesShowTwoLargestUnits(seconds: Int, words: String) {
    #expect(Words.age(.seconds(seconds)) == words)
  }

  @Test(arguments: [(0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1_572_864, "1.5 MiB"), (.max, "8192 PiB")])
  func formatsByteCounts(count: Int64, words: String) {
    #expect(Words.bytes(count) == words)
  }

  /// Digits alone are a number in these sentences ("cancelled by 1000"), be they a user's id or a name.
  @Test(arguments: [
    ("kim", "kim"), ("1000", "user 1000"), ("0", "user 0"), ("4294967294", "user 4294967294"), ("007", "user 007"),
    ("1000a", "1000a"), ("-1", "-1"), ("", ""), ("\u{661}\u{662}", "\u{661}\u{662}"), ("a\u{1B}[31m", #"a\x1b[31m"#),
    ("12\u{1B}", #"12\x1b"#),
  ])
  func userOfDigitsIsCalledUser(name: String, words: String) {
    #expect(Words.user(name) == words)
  }

  @Test(arguments: [
    ("\"a\u{7F}\"", "\"a\\u007f\""), ("\"\u{9B}31m\"", "\"\\u009b31m\""), ("\"\u{202E}\"", "\"\\u202e\""),
    ("\"\u{E0041}\"", "\"\\udb40\\udc41\""), ("\"日本 é\\n\"", "\"日本 é\\n\""), ("{\"a\":1}", "{\"a\":1}"),
  ])
  func jsonEscapesTerminalControls(json: String, printed: String) {
    #expect(TerminalSafe.json(json) == printed)
  }

  @Test func colourRequiresWillingTerminal() {
    func colour(_ isTerminal: Bool, _ environment: [String: String]) -> Bool {
      Terminal(isTerminal: isTerminal, columns: 80, environment: environment).hasColour
    }
    #expect(colour(true, [:]) && colour(true, ["NO_COLOR": ""]))
    #expect(!colour(false, [:]) && !colour(true, ["NO_COLOR": "1"]) && !colour(true, ["TERM": "dumb"]))
  }

  @Test func widestColumnShrinksFirst() {
    var table = Table(columns: [
      .init(heading: "S", least: 2), .init(heading: "N", least: 3), .init(heading: "R", least: 3),
    ])
    table.rows = [[.init(text: "sssss"), .init(text: "nnnnnnnn"), .init(text: "rrrrrrrrrrrr")]]
    func widths(_ columns: Int) -> [Int] {
      let terminal = Terminal(isTerminal: true, columns: columns, environment: ["NO_COLOR": "1"])
      return table.lines(terminal)[1].split(separator: "  ").map(\.count)
    }
    #expect(widths(29) == [5, 8, 12])
    #expect(widths(25) == [5, 8, 8])
    #expect(widths(19) == [5, 5, 5])
    #expect(widths(15) == [3, 4, 4])
    #expect(widths(13) == [3, 3, 3])
  }

  @Test func foldsLongTextAtSpaces() {
    #expect(Folded.lines("Jobs  one two three", width: 12, indent: 6) == ["Jobs  one", "      two", "      three"])
    #expect(Folded.lines("Key  abcdefghijklmnop", width: 10, indent: 5) == ["Key  abcdefghijklmnop"])
    #expect(Folded.lines("one two", width: nil) == ["one two"])
  }

  @Test(arguments: [
    ("HTTP 422: invoice 4711 is taken", "HTTP 422: invoice … is taken"),
    ("HTTP 409: \"scan 1.pdf\" exists. Rename it", "HTTP 409: … exists"),
    ("connection to 127.0.0.1:80 refused", "connection to … refused"),
    ("no route to host\nsecond line", "no route to host"), ("", ""),
  ])
  func reasonPatternOmitsJobSpecifics(words: String, pattern: String) {
    #expect(ReasonText(words).pattern == pattern)
  }

  /// The job's own name is no part of what jobs have in common.
  @Test(arguments: [
    ("the file a.bcl is damaged", "a.bcl", "the file … is damaged"),
    ("HTTP 409: key in/letter.pdf, letter.pdf exists", "letter.pdf", "HTTP 409: key in/…, … exists"),
    ("newsletter.pdf is taken", "letter.pdf", "newsletter.pdf is taken"),
    ("letter.pdfs are taken", "letter.pdf", "letter.pdfs are taken"),
    ("letter. It exists", "letter. It", "letter"),
  ])
  func reasonPatternOmitsJobsName(words: String, name: String, pattern: String) {
    #expect(ReasonText(words, names: [name]).pattern == pattern)
  }

  @Test func shortNamesStay() {
    #expect(ReasonText("a file of b is a fault", names: ["a", "b"]).pattern == "a file of b is a fault")
    #expect(ReasonText("HTTP 422: it is taken", names: ["422"]).pattern == "HTTP 422: it is taken")
    #expect(ReasonText("", names: ["abc", ""]).pattern == "")
  }

  @Test func onlyElasticColumnShrinks() {
    var table = Table(columns: [.init(heading: "JOB", isNumber: true), .init(heading: "NAME", least: 4)])
    table.rows = [[.init(text: "7"), .init(text: "abcdefghij")]]
    let terminal = Terminal(isTerminal: true, columns: 11, environment: ["NO_COLOR": "1"])
    #expect(table.lines(terminal) == ["JOB  NAME", "  7  abcde…"])
    let narrow = Terminal(isTerminal: true, columns: 2, environment: ["NO_COLOR": "1"])
    #expect(table.lines(narrow) == ["JOB  NAME", "  7  abc…"])
  }
}
