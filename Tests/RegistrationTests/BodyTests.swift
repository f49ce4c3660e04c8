import Foundation
import HTTPTransfer
import Jobs
import Settings
import Testing

@testable import Registration

@Suite struct BodyTests {
  private func body(_ document: StoredDocument) throws -> String {
    String(decoding: try TestBackend.make("http://127.0.0.1:1").body(of: document), as: UTF8.self)
  }

  @Test func bodyMatchesContractByteForByte() throws {
    #expect(
      try body(TestBackend.document(metadata: ["b": "2", "a": "1"])) == """
        {"id":"01939f5c-7b1a-7c3d-9e4f-0123456789ab","job":42,"link":"s3://documents/k","bucket":"documents",\
        "key":"k","name":"scan 1.pdf","size":123,"sha256":"44ce","checksum":{"algorithm":"sha256","type":"full",\
        "value":"RM591nyVng01JP+sF3Hfu6h9K2tLTpnkIDSouAP4sHI="},"etag":"e7a9","version":null,\
        "content_type":"application/pdf","spool":"documents","host":"scanner-3",\
        "traceparent":"00-01939f5c7b1a7c3d9e4f0123456789ab-9e4f0123456789ab-01",\
        "modified_at":"2026-11-21T01:02:03Z","uploaded_at":"2026-11-21T00:00:00Z","metadata":{"a":"1","b":"2"}}
        """)
  }

  @Test func unprovenUploadAsksBackend() throws {
    var document = TestBackend.document()
    document.asksBackend = true
    #expect(try body(document).hasPrefix(#"{"verify":true,"id":"#))
    let fields = ["a": "{key}", "verify": "{link}"].mapValues { FieldValue.text($0) }
    let own = try TestBackend.make("http://127.0.0.1:1", fields: fields).body(of: document)
    #expect(String(decoding: own, as: UTF8.self) == #"{"verify":true,"a":"k"}"#)
    for format in [BackendSettings.Format.json, .cloudEvents, .form] {
      let backend = try TestBackend.make("http://127.0.0.1:1", format: format)
      #expect(RegistrationBody.asks(backend.body(of: document)))
      let quoting = TestBackend.document(metadata: ["verify": "true", "data": #"{"verify":true"#])
      #expect(!RegistrationBody.asks(backend.body(of: quoting)))
    }
  }

  @Test func newIDNamesReplacedJobID() throws {
    var document = TestBackend.document()
    document.id = JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 0x9E4F_0123_4567_89AC)
    let ids = #""id":"01939f5c-7b1a-7c3d-9e4f-0123456789ac","replaces":"01939f5c-7b1a-7c3d-9e4f-0123456789ab","job":42"#
    #expect(try body(document).hasPrefix("{" + ids))
    let event = try TestBackend.make("http://127.0.0.1:1", format: .cloudEvents).body(of: document)
    let text = String(decoding: event, as: UTF8.self)
    #expect(text.hasPrefix(#"{"specversion":"1.0","id":"01939f5c-7b1a-7c3d-9e4f-0123456789ac","#) && text.contains(ids))
    #expect(text.contains(#""subject":"k","time":"2026-11-21T00:00:00Z","traceparent":"00-01939f5c7b1a"#))
    let own = try TestBackend.make("http://127.0.0.1:1", fields: ["a": .text("{id}")]).body(of: document)
    #expect(String(decoding: own, as: UTF8.self) == #"{"a":"01939f5c-7b1a-7c3d-9e4f-0123456789ac"}"#)
  }

  @Test func unknownValuesAreNull() throws {
    let text = try body(TestBackend.document(checksum: nil))
    #expect(text.contains(#""sha256":null,"checksum":null,"etag":"e7a9""#))
    #expect(text.hasSuffix(#""metadata":{}}"#))
  }

  @Test func manualLinkHasNoReceipt() throws {
    var document = TestBackend.document(link: "https://elsewhere/x")
    document.receipt = nil
    let text = try body(document)
    #expect(text.contains(#""link":"https://elsewhere/x","bucket":"documents","key":"k""#))
    #expect(text.contains(#""size":123,"sha256":null,"checksum":null,"etag":null,"version":null,"#))
    #expect(text.contains(#""uploaded_at":null,"#))
  }

  @Test func nonUTF8NameAddsBase64() throws {
    let text = try body(TestBackend.document(name: FileName(bytes: [0x61, 0xFF, 0x5C, 0x62])))
    #expect(text.contains(#""name":"a\\xff\\b","name_base64":"Yf9cYg==","size""#))
    #expect(try !body(TestBackend.document()).contains("name_base64"))
  }

  @Test func customFieldsReplaceContractMembers() throws {
    let backend = try TestBackend.make(
      "http://127.0.0.1:1",
      fields: [
        "invoice_url": "{link}", "file": "{name}", "note": "{stem} ({ext}), \"{size}\" bytes", "version": "{version}",
        "who": "{metadata.author}", "of": "{metadata.none}", "mixed": "v{version}.", "day": "{yyyy}-{mm}-{dd}",
        "from": "{host}/{spool}/{path}", "no": "{job} {id}", "": "{uploaded_at} {modified_at}",
        "sum": "{sha256} {etag} {bucket} {key} {content_type}",
      ].mapValues { .text($0) })
    let text = String(
      decoding: backend.body(of: TestBackend.document(name: FileName("scan \"1\".pdf"), metadata: ["author": "anna"])),
      as: UTF8.self)
    #expect(
      text == #"""
        {"":"2026-11-21T00:00:00Z 2026-11-21T01:02:03Z","day":"1970-01-01","file":"scan \"1\".pdf",\#
        "from":"scanner-3/documents/","invoice_url":"s3://documents/k","mixed":"v.",\#
        "no":"42 01939f5c-7b1a-7c3d-9e4f-0123456789ab","note":"scan \"1\" (pdf), \"123\" bytes","of":null,\#
        "sum":"44ce e7a9 documents k application/pdf","version":null,"who":"anna"}
        """#)
  }

  @Test func fieldsKeepTheirShapes() throws {
    let fields: [String: FieldValue<String>] = [
      "null": .text("{null}"), "text": .text("a{null}b"), "yes": .constant("true"), "number": .constant("-2"),
      "list": .array([.text("{name}"), .constant("1.5"), .array([]), .object([:]), .text("{version}")]),
      "file": .object(["url": .text("{link}"), "by": .object(["who": .text("{metadata.none}")])]),
    ]
    let backend = try TestBackend.make("http://127.0.0.1:1", fields: fields)
    #expect(
      String(decoding: backend.body(of: TestBackend.document()), as: UTF8.self) == #"""
        {"file":{"by":{"who":null},"url":"s3://documents/k"},"list":["scan 1.pdf",1.5,[],{},null],"null":null,\#
        "number":-2,"text":"ab","yes":true}
        """#)
    let sidecar = FieldValue<String>.object(["a": .array([.object(["b": .text("{sidecar}")])])])
    #expect(try FieldTemplates(sidecar).use(.sidecar))
  }

  /// Null and lists are left out; members of objects have names in brackets, as PHP and Rails read them.
  @Test func formHasMembersAsPairs() throws {
    var document = TestBackend.document(metadata: ["größe": "a&b=c+d é"])
    document.files = GroupList()
    document.files?.end()
    #expect(
      String(decoding: try TestBackend.make("http://127.0.0.1:1", format: .form).body(of: document), as: UTF8.self)
        == """
        id=01939f5c-7b1a-7c3d-9e4f-0123456789ab&job=42&link=s3%3A%2F%2Fdocuments%2Fk&bucket=documents&key=k&\
        name=scan%201.pdf&size=123&sha256=44ce&checksum%5Balgorithm%5D=sha256&checksum%5Btype%5D=full&\
        checksum%5Bvalue%5D=RM591nyVng01JP%2BsF3Hfu6h9K2tLTpnkIDSouAP4sHI%3D&etag=e7a9&\
        content_type=application%2Fpdf&spool=documents&host=scanner-3&\
        traceparent=00-01939f5c7b1a7c3d9e4f0123456789ab-9e4f0123456789ab-01&modified_at=2026-11-21T01%3A02%3A03Z&\
        uploaded_at=2026-11-21T00%3A00%3A00Z&metadata%5Bgr%C3%B6%C3%9Fe%5D=a%26b%3Dc%2Bd%20%C3%A9
        """)
    let own = try TestBackend.make(
      "http://127.0.0.1:1", format: .form,
      fields: [
        "a b": .text("{name}&="), "files": .text("{files} files"), "n": .constant("2"), "no": .constant("false"),
        "none": .text("{version}"), "version": .text("v{version}"),
      ])
    #expect(
      String(decoding: own.body(of: document), as: UTF8.self)
        == "a%20b=scan%201.pdf%26%3D&files=0%20files&n=2&no=false&version=v")
  }

  @Test func fieldsTakePartsOfNames() throws {
    let texts = ["case": "{case}", "none": "{none}", "text": "{case}-{none}."]
    let fields = try FieldTemplates(.object(texts.mapValues { .text($0) }), captures: ["case", "none"])
    let document = TestBackend.document(captures: ["case": "\"17\""])
    let body = RegistrationBody(.json, fields: fields, host: "h").bytes(of: document)
    #expect(
      String(decoding: body, as: UTF8.self)
        == #"{"case":"\"17\"","none":null,"text":"\"17\"-."}"#)
    #expect(throws: TemplateFault.self) { try FieldTemplates(.object(["a": .text("{case}")])) }
  }

  @Test(arguments: ["{", "}", "{nope}", "{metadata.}"])
  func refusesInvalidFieldTemplates(text: String) {
    #expect(throws: TemplateFault.self) { try FieldTemplates(.object(["a": .array([.text(text)])])) }
  }

  @Test func cloudEventCarriesDocumentAsData() throws {
    let backend = try TestBackend.make("http://127.0.0.1:1", format: .cloudEvents, fields: ["file": .text("{name}")])
    let document = TestBackend.document()
    #expect(
      String(decoding: backend.body(of: document), as: UTF8.self) == """
        {"specversion":"1.0","id":"01939f5c-7b1a-7c3d-9e4f-0123456789ab","source":"/scanner-3/documents",\
        "type":"waybill.document.stored","subject":"k","time":"2026-11-21T00:00:00Z",\
        "traceparent":"00-01939f5c7b1a7c3d9e4f0123456789ab-9e4f0123456789ab-01",\
        "datacontenttype":"application/json","data":{"file":"scan 1.pdf"}}
        """)
    let whole = try TestBackend.make("http://127.0.0.1:1", format: .cloudEvents).body(of: document)
    #expect(String(decoding: whole, as: UTF8.self).hasSuffix(try "\"data\":" + body(document) + "}"))
  }

  @Test func anyTextSurvivesJSONParsing() throws {
    let hostile = (0..<0x30).compactMap { Unicode.Scalar($0) }.reduce(into: "\"\\/ü🧾\u{2028}\u{7F}") {
      $0.unicodeScalars.append($1)
    }
    let document = TestBackend.document(name: FileName(hostile), metadata: [hostile: hostile], link: hostile)
    let bytes = try TestBackend.make("http://127.0.0.1:1").body(of: document)
    let object = try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    #expect(object["name"] as? String == hostile)
    #expect(object["link"] as? String == hostile)
    #expect(object["metadata"] as? [String: String] == [hostile: hostile])
  }
}
