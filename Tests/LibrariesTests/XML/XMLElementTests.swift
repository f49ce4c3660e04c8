import Testing

@testable import XML

@Suite struct XMLElementTests {
  private func parse(_ text: String) -> XMLElement? { XMLElement.parse(Array(text.utf8)) }

  @Test func readsAWSError() {
    let body = """
      <?xml version="1.0" encoding="UTF-8"?>
      <Error><Code>NoSuchBucket</Code><Message>The specified bucket does not exist</Message>
      <BucketName>a&amp;b</BucketName><RequestId/><HostId x='1' y="a>b">h</HostId></Error>
      """
    #expect(parse(body)?["Code"]?.text == "NoSuchBucket")
    #expect(parse(body)?["BucketName"]?.text == "a&b")
    #expect(parse(body)?["HostId"]?.text == "h")
  }

  @Test func readsReferencesCDATAAndComments() {
    let root = parse(
      "\u{FEFF}<!-- a --><s:a xmlns:s='u'>1 &lt;&#65;&#x42;&quot;&apos;&gt;<!-- - --><![CDATA[<&]]></s:a> ")
    #expect(root?.name == "a")
    #expect(root?.text == "1 <AB\"'><&")
  }

  /// S3 writes a key in the characters of XML 1.1: those that XML 1.0 has not, as references or as they are.
  @Test func readsEachCharacterOfXML11() throws {
    for value in (0x1...0x1F).map(UInt32.init) + [0x7F, 0x80, 0x85, 0x9F, 0x2028, 0xFFFD, 0xFFFE, 0xFFFF, 0x10FFFF] {
      let character = try #require(Unicode.Scalar(value))
      let isUnlisted = value < 0x20 && ![0x9, 0xA, 0xD].contains(value) || value == 0xFFFE || value == 0xFFFF
      let key = isUnlisted ? "a?b" : "a\(character)b"
      for reference in [
        "&#\(value);", "&#x\(String(value, radix: 16));", "&#x0\(String(value, radix: 16, uppercase: true));",
      ] {
        #expect(parse("<L><Key>a\(reference)b</Key><Key/></L>")?["Key"]?.text == key, "\(reference)")
      }
      // The end of a line is a line feed, in whatever form it comes (XML 1.0, section 2.11).
      if value != 0xD { #expect(parse("<L><Key>a\(character)b</Key></L>")?["Key"]?.text == key, "\(value)") }
    }
    #expect(parse("<a>&#7;&#x8;\u{1}&#x8;</a>")?.text == "????")
  }

  @Test(arguments: [
    "<a>&#0;</a>", "<a>&#x0;</a>", "<a>\u{0}</a>", "<a>&#+7;</a>", "<a>&#x;</a>", "<a>&#;</a>", "<a>&#7</a>",
    "<a>&#x7 ;</a>",
    "<a &#7;></a>", "<\u{7}a/>", "\u{7}<a/>", "<a/>\u{7}", "<a/>&#7;", "<a>&#x110000;</a>",
    "<a><?_ x?></a>",
  ]) func refusesCharactersWhereTheyAreNot(_ text: String) {
    #expect(parse(text) == nil)
  }

  /// Foundation's XMLParser read through a null pointer for some of these.
  @Test(arguments: ["<a><?p?></a>", "<?p?><a/>", "<?xml?><a/>", "<?xml-p?><a/>", "<a/><?p?>", "<a><?p d?></a>"])
  func refusesProcessingInstructions(_ text: String) {
    #expect(parse(text) == nil)
    #expect(parse("<?xml version='1.0'?>" + text) == nil)
  }

  @Test func nestsAndRepeats() {
    let root = parse("<L><P><N>1</N></P><P><N>2</N></P></L>")
    #expect(root?.children.compactMap { $0["N"]?.text } == ["1", "2"])
  }

  @Test(arguments: [
    "", " ", "<", "<a", "<a>", "</a>", "<a></b>", "<a><b></a></b>", "<a/>x", "x<a/>", "<a/><a/>", "<a>&nope;</a>",
    "<a>&#xD800;</a>", "<a>&amp</a>", "<a b></a>", "<a b=c/>", "<a b='<'/>", "<a><![CDATA[x</a>", "<a><!-- </a>",
    "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>", "<a><!DOCTYPE b></a>", "<a><?p?></a>",
    "<a/><?p?>", "<?xml-p?><a/>", "<?xml?><a/>", "<?xml version='1.0'?><?p?><a/>", "<a>\u{0}<", "{\"a\":1}",
  ]) func refusesMalformedText(_ text: String) {
    #expect(parse(text) == nil)
  }

  @Test func refusesDeepLongOrNonUTF8() {
    func nested(_ depth: Int) -> String {
      String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }
    #expect(parse(nested(XMLElement.deepest)) != nil)
    #expect(parse(nested(XMLElement.deepest + 1)) == nil)
    #expect(parse(nested(5_000)) == nil)
    #expect(parse("<a>" + String(repeating: "x", count: XMLElement.limit) + "</a>") == nil)
    #expect(XMLElement.parse(Array("<a>".utf8) + [0xFF] + Array("</a>".utf8)) == nil)
  }

  /// A document is read as UTF-8 whatever it says: in UTF-7 an instruction or a document type stands in other letters.
  @Test(arguments: ["UTF-7", "utf-7", "ISO-2022-JP", "UTF-16", "HZ-GB-2312", "utf-8", "US-ASCII", "IBM037", "x"])
  func ignoresDeclaredEncoding(_ name: String) {
    let text = "+ADw-?p?+AD4-+ADw-!DOCTYPE a [+ADw-!ENTITY x 'y'+AD4-]+AD4-"
    for declaration in ["<?xml version='1.0' encoding='\(name)'?>", "<?xml encoding = \"\(name)\" standalone='no' ?>"] {
      #expect(parse(declaration + "<a>\(text)</a>")?.text == text)
      #expect(parse(declaration + text + "<a/>") == nil)
    }
  }

  /// Without a mark at its beginning, UTF-16 of ASCII letters is well-formed UTF-8 too.
  @Test(arguments: [[0, 1], [1, 0], [0, 0, 0, 1], [1, 0, 0, 0]]) func refusesWideCharacters(_ place: [UInt8]) {
    for text in ["<?xml version='1.0'?><!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", "<?xml version='1.0'?><a><?p?></a>"] {
      #expect(XMLElement.parse(text.utf8.flatMap { byte in place.map { $0 * byte } }) == nil)
    }
  }

  @Test func refusesTooManyAttributes() {
    func tag(_ count: Int) -> String { "<a x='>'" + (1..<count).map { " a\($0)=\"\"" }.joined() + "/>" }
    #expect(parse(tag(XMLElement.mostAttributes))?.name == "a")
    #expect(parse(tag(XMLElement.mostAttributes + 1)) == nil)
    #expect(parse("<a>" + tag(5000) + "</a>") == nil)
  }
}
