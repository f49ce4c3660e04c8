import ChildProcesses
import Testing

@testable import TOML

/// One value is changed, and all else stays as it is written.
@Suite(.aside) struct TOMLEditTests {
  @Test(
    arguments: [
      // a value, with the comment behind it
      ("[s.m]\nc = \"old\"  # why\nd = 1\n", "[s.m]\nc = \"new\"  # why\nd = 1\n"),
      ("[s.m]\nc='a \\ # b'# why\n", "[s.m]\nc=\"new\"# why\n"), ("[s.m]\n\tc = true", "[s.m]\n\tc = \"new\""),
      ("[s.m]\r\nc = \"a\\\"b\"\r\n", "[s.m]\r\nc = \"new\"\r\n"),
      // the key of another table, and in a comment
      ("[s.n]\nc = 1\n[s.m]\n# c = 2\nc = 3\n", "[s.n]\nc = 1\n[s.m]\n# c = 2\nc = \"new\"\n"),
      // inline, with the same key before it
      ("s = { n = { c = 1 }, m = { c = 2 } }\n", "s = { n = { c = 1 }, m = { c = \"new\" } }\n"),
      ("s.m.xc = 1\ns.m.c = 2\n", "s.m.xc = 1\ns.m.c = \"new\"\n"),
      // a key that is not there: behind the last short value, not within another one
      ("[s.m]\na = 1\n# end\n[s.n]\nb = 2\n", "[s.m]\na = 1\nc = \"new\"\n# end\n[s.n]\nb = 2\n"),
      ("[s.m]\n  a = 1\n", "[s.m]\n  a = 1\n  c = \"new\"\n"), ("[s.m]\na = 1", "[s.m]\na = 1\nc = \"new\"\n"),
      ("[s.m]\r\na = 1\r\n", "[s.m]\r\na = 1\r\nc = \"new\"\r\n"), ("[s.m] # x\n", "[s.m] # x\nc = \"new\"\n"),
      ("[s.m]\na = [\n 1,\n]\n", "[s.m]\nc = \"new\"\na = [\n 1,\n]\n"),
      ("[s.m]\na = \"\"\"\nc = 1\n\"\"\"\n", "[s.m]\nc = \"new\"\na = \"\"\"\nc = 1\n\"\"\"\n"),
      ("[s.m]\nb = 1\n[s.m.t]\nd = 1\n", "[s.m]\nb = 1\nc = \"new\"\n[s.m.t]\nd = 1\n"),
      // no change of one line gives it
      ("s = { m = { a = 1 } }\n", nil), ("s.m.a = 1\n", nil), ("[s.m]\nc = \"\"\"\nold\"\"\"\n", nil),
      ("[s.n]\na = 1\n", nil),
      ("[s.m\n", nil),
    ] as [(String, String?)])
  func editChangesOnlyOneLine(_ text: String, _ expected: String?) {
    let changed = TOMLDocument.setting("c", to: "\"new\"", at: ["s", "m"], in: Array(text.utf8))
    #expect(changed.map { String(decoding: $0, as: UTF8.self) } == expected)
  }
}
