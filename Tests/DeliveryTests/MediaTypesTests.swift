import Jobs
import Testing

@testable import Delivery

@Suite struct MediaTypesTests {
  private static let table = """
    # a comment
    text/plain                                 txt text  # trailing
    application/pdf\t\t\tpdf
    application/gzip gz
    application/vnd.lonely
    no-slash oops
    text/x-local  log
    application/AML\taml
    text/x-upper UPPER
    text/plain twice
    text/html twice
    """

  private static let types = MediaTypes(table: Array(table.utf8))

  @Test(arguments: [
    ("a.txt", "text/plain"), ("A.TXT", "text/plain"), ("a.b.pdf", "application/pdf"), ("a.pdf.", nil),
    ("x.tar.gz.pdf", "application/pdf"), ("a.tar.GZ", "application/gzip"), ("a~", nil), ("a.oops", nil),
    ("a.lonely", nil), ("a.log", "text/x-local"), ("pdf", nil), ("...", nil), ("a.aml", "application/AML"),
    ("trailing", nil), ("a.", nil), ("-", nil), ("a.upper", "text/x-upper"), ("a.twice", "text/plain"),
  ])
  func looksUpTypeByName(_ name: String, _ type: String?) {
    #expect(Self.types.type(of: FileName(name)) == type)
  }

  @Test func looksUpNonTextNames() {
    #expect(Self.types.type(of: FileName(bytes: [0xFF, 0xFE] + Array(".pdf".utf8))) == "application/pdf")
    #expect(Self.types.type(of: FileName(bytes: Array("a.".utf8) + [0xFF])) == nil)
    #expect(Self.types.type(of: FileName(String(repeating: ".", count: 255))) == nil)
  }

  @Test func reportsUnreadableTable() {
    var told: [String] = []
    let types = MediaTypes.read("/") { told.append($0) }
    #expect(types.type(of: FileName("a.txt")) == nil)
    #expect(told.count == 1)
    #expect(told.first?.contains("/") == true)
    let none = MediaTypes.read("/nonexistent") { told.append($0) }
    #expect(none.types.isEmpty && told.count == 1)
  }

  @Test func truncatesHugeTable() {
    let types = MediaTypes(table: Array((0..<40_000).map { "text/x-\($0) e\($0)\n" }.joined().utf8))
    #expect(types.types.count == MediaTypes.limit)
    #expect(types.type(of: FileName("a.e7")) == "text/x-7")
    #expect(types.type(of: FileName("a.e16383")) == "text/x-16383")
    #expect(types.type(of: FileName("a.e16384")) == nil)
  }

  @Test(arguments: [
    ("text/x-own", "text/x-own"), ("text/x-own\n", "text/x-own"), (" text/x-own\0", "text/x-own"),
    ("text/plain\r\nX-Evil: 1", "application/pdf"), ("text/pl\u{1B}ain", "application/pdf"), ("", "application/pdf"),
    ("nonsense", "application/pdf"), ("text/ü", "application/pdf"),
    ("text/plain; charset=utf-8", "text/plain; charset=utf-8"),
  ])
  func typeAttributeOverridesTable(_ attribute: String, _ type: String) {
    let metadata = FileMetadata(
      ["user.mime_type": Array(attribute.utf8)], name: FileName("a.pdf"), types: Self.types)
    #expect(metadata.contentType == type)
  }

  @Test func readsMetadataFromAttributes() {
    let values: [String: [UInt8]] = [
      "user.waybill.invoice": Array("17\r\nX-Evil: 1".utf8), "user.waybill.id": Array("not metadata".utf8),
      "user.waybill.Waybill-ID": Array("reserved".utf8), "user.waybill.waybill-x": Array("reserved".utf8),
      "user.waybill.\u{301}mark": Array("kept".utf8), "user.waybill.": Array("nameless".utf8),
      "user.waybill.bytes": [0x61, 0xFF], "user.other": Array("none of ours".utf8),
    ]
    let metadata = FileMetadata(values, name: FileName("a"), types: Self.types)
    #expect(
      metadata.values == ["invoice": "17\r\nX-Evil: 1", "\u{301}mark": "kept", "bytes": "a\\xff"])
    #expect(metadata.contentType == "application/octet-stream", "its name has no type")
  }
}
