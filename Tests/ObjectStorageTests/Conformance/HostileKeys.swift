/// Names that clients and servers get wrong: signing, encoding, XML, paths.
enum HostileKeys {
  static let all: [String] =
    [
      "a b", "a+b", "100%", "a%2Fb", "%2E%2E", "~tilde", "a=b&c", "it's", "(1)", "a;b:c@d,e", "$!*", "[x]{y}|^`",
      "a\\b",
      "\"q\" <x>", "what?", "what?uploads", "a?b=c&d", "#1", "tab\there", "Grüße.pdf", "e\u{301}", "é", "日本語/文書", "🧾",
      "👩‍👩‍👧‍👦", "a//b", "a///b", "%FF", "a%20b", "%", "%%", "%4", "a%zz", " lead", "trail ", "  two  ", ".hidden",
      "..hidden",
      "...", "a.", "-rf", "--help", "CON", "nul.txt", "a\u{A0}b", "a\u{200B}b", "a\u{202E}gpj.exe", "ﬁ", "ß", "İ", "ı",
      "𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "&amp;", "<![CDATA[x]]>", "]]>", "a'b\"c`d", "x-amz-meta-a: b", "a,b;c", "@", "!", "'", "=", "_", "*",
      "a|b", "a^b", "{name}", "$(id)", "`id`", "../a".replacing("../", with: "..%2F"), "\u{7F}",
    ] + [String(repeating: "ü", count: 400), String(repeating: "a/", count: 200) + "b"]
}
