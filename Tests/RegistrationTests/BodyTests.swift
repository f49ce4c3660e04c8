import Foundation
import HTTPTransfer
import Jobs
import Settings
import Testing

@testable import Registration

@Suite struct BodyTests {
  private static let checksum = Checksum(
    algorithm: "sha256", type: .full, value: "RM591nyVng01JP+sF3Hfu6h9K2tLTpnkIDSouAP4sHI=")

  private func document(
    name: FileName = FileName("scan 1.pdf"), metadata: [String: String] = [:], checksum: Checksum? = checksum,
    link: String = "s3://documents/k", captures: [String: String] = [:]
  ) -> StoredDocument {
    let ticket = Ticket(
      id: JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 0x9E4F_0123_4567_89AB), spool: "documents", name: name,
      storage: "main", backend: "main", bucket: "documents", key: "k", contentType: "application/pdf",
      metadata: metadata, priority: 0, createdAt: Timestamp(seconds: 0), captures: captures)
    let receipt = UploadReceipt(
      bucket: "documents", key: "k", size: 123, etag: "e7a9", version: nil, sha256: checksum.map { _ in "44ce" },
      checksum: checksum, contentType: "application/pdf", uploadedAt: Timestamp(year: 2026, month: 11, day: 21))
    return StoredDocument(
      job: JobNumber(rawValue: 42), ticket: ticket,
      identity: FileIdentity(
        device: 1, inode: 2, size: 123,
        modified: Timestamp(year: 2026, month: 11, day: 21, hour: 1, minute: 2, second: 3).microseconds * 1000 + 999,
        changed: 0),
      link: link, receipt: receipt)
  }

  private func body(_ document: StoredDocument) throws -> String {
    String(decoding: try TestBackend.make("http://127.0.0.1:1").body(of: document), as: UTF8.self)
  }

  @Test func bodyMatchesContractByteForByte() throws {
    #expect(
      try body(document(metadata: ["b": "2", "a": "1"])) == """
        {"id":"01939f5c-7b1a-7c3d-9e4f-0123456789ab","job":42,"link":"s3://documents/k","bucket":"documents",\
        "key":"k","name":"scan 1.pdf","size":123,"sha256":"44ce","checksum":{"algorithm":"sha256","type":"full",\
        "value":"RM591nyVng01JP+sF3Hfu6h9K2tLTpnkIDSouAP4sHI="},"etag":"e7a9","version":null,\
        "content_type":"application/pdf","spool":"documents","host":"scanner-3",\
        "modified_at":"2026-11-21T01:02:03Z","uploaded_at":"2026-11-21T00:00:00Z","metadata":{"a":"1","b":"2"}}
        """)
  }

  @Test func unprovenUploadAsksBackend() throws {
    var document = document()
    document.asksBackend = true
    #expect(try body(document).hasPrefix(#"{"verify":true,"id":"#))
    let own = try TestBackend.make("http://127.0.0.1:1", fields: ["a": "{key}", "verify": "{link}"]).body(of: document)
    #expect(String(decoding: own, as: UTF8.self) == #"{"verify":true,"a":"k"}"#)
  }

  @Test func newIDNamesReplacedJobID() throws {
    var document = document()
    document.id = JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 0x9E4F_0123_4567_89AC)
    let ids = #""id":"01939f5c-7b1a-7c3d-9e4f-0123456789ac","replaces":"01939f5c-7b1a-7c3d-9e4f-0123456789ab","job":42"#
    #expect(try body(document).hasPrefix("{" + ids))
    let event = try TestBackend.make("http://127.0.0.1:1", format: .cloudEvents).body(of: document)
    let text = String(decoding: event, as: UTF8.self)
    #expect(text.hasPrefix(#"{"specversion":"1.0","id":"01939f5c-7b1a-7c3d-9e4f-0123456789ac","#) && text.contains(ids))
    let own = try TestBackend.make("http://127.0.0.1:1", fields: ["a": "{id}"]).body(of: document)
    #expect(String(decoding: own, as: UTF8.self) == #"{"a":"01939f5c-7b1a-7c3d-9e4f-0123456789ac"}"#)
  }

  @Test func unknownValuesAreNull() throws {
    let text = try body(document(checksum: nil))
    #expect(text.contains(#""sha256":null,"checksum":null,"etag":"e7a9""#))
    #expect(text.hasSuffix(#""metadata":{}}"#))
  }

  @Test func manualLinkHasNoReceipt() throws {
    var document = document(link: "https://elsewhere/x")
    document.receipt = nil
    let text = try body(document)
    #expect(text.contains(#""link":"https://elsewhere/x","bucket":"documents","key":"k""#))
    #expect(text.contains(#""size":123,"sha256":null,"checksum":null,"etag":null,"version":null,"#))
    #expect(text.contains(#""uploaded_at":null,"#))
  }

  @Test func nonUTF8NameAddsBase64() throws {
    let text = try body(document(name: FileName(bytes: [0x61, 0xFF, 0x5C, 0x62])))
    #expect(text.contains(#""name":"a\\xff\\b","name_base64":"Yf9cYg==","size""#))
    #expect(try !body(document()).contains("name_base64"))
  }

  @Test func customFieldsReplaceContractMembers() throws {
    let backend = try TestBackend.make(
      "http://127.0.0.1:1",
      fields: [
        "invoice_url": "{link}", "file": "{name}", "note": "{stem} ({ext}), \"{size}\" bytes", "version": "{version}",
        "who": "{metadata.author}", "of": "{metadata.none}", "mixed": "v{version}.", "day": "{yyyy}-{mm}-{dd}",
        "from": "{host}/{spool}/{path}", "no": "{job} {id}", "": "{uploaded_at} {modified_at}",
        "sum": "{sha256} {etag} {bucket} {key} {content_type}",
      ])
    let text = String(
      decoding: backend.body(of: document(name: FileName("scan \"1\".pdf"), metadata: ["author": "anna"])),
      as: UTF8.self)
    #expect(
      text == #"""
        {"":"2026-11-21T00:00:00Z 2026-11-21T01:02:03Z","day":"1970-01-01","file":"scan \"1\".pdf",\#
        "from":"scanner-3/documents/","invoice_url":"s3://documents/k","mixed":"v.",\#
        "no":"42 01939f5c-7b1a-7c3d-9e4f-0123456789ab","note":"scan \"1\" (pdf), \"123\" bytes","of":null,\#
        "sum":"44ce e7a9 documents k application/pdf","version":null,"who":"anna"}
        """#)
  }

  @Test func fieldsTakePartsOfNames() throws {
    let fields = try FieldTemplates(
      ["case": "{case}", "none": "{none}", "text": "{case}-{none}."], captures: ["case", "none"])
    let document = document(captures: ["case": "\"17\""])
    let body = RegistrationBody(.json, fields: fields, host: "h").bytes(of: document)
    #expect(
      String(decoding: body, as: UTF8.self)
        == #"{"case":"\"17\"","none":null,"text":"\"17\"-."}"#)
    #expect(throws: TemplateFault.self) { try FieldTemplates(["a": "{case}"]) }
  }

  @Test(arguments: ["{", "}", "{nope}", "{metadata.}"])
  func refusesInvalidFieldTemplates(text: String) {
    #expect(throws: TemplateFault.self) { try FieldTemplates(["a": text]) }
  }

  @Test func cloudEventCarriesDocumentAsData() throws {
    let backend = try TestBackend.make("http://127.0.0.1:1", format: .cloudEvents, fields: ["file": "{name}"])
    let document = document()
    #expect(
      String(decoding: backend.body(of: document), as: UTF8.self) == """
        {"specversion":"1.0","id":"01939f5c-7b1a-7c3d-9e4f-0123456789ab","source":"/scanner-3/documents",\
        "type":"waybill.document.stored","subject":"k","time":"2026-11-21T00:00:00Z",\
        "datacontenttype":"application/json","data":{"file":"scan 1.pdf"}}
        """)
    let whole = try TestBackend.make("http://127.0.0.1:1", format: .cloudEvents).body(of: document)
    #expect(String(decoding: whole, as: UTF8.self).hasSuffix(try "\"data\":" + body(document) + "}"))
  }

  @Test func anyTextSurvivesJSONParsing() throws {
    let hostile = (0..<0x30).compactMap { Unicode.Scalar($0) }.reduce(into: "\"\\/ü🧾\u{2028}\u{7F}") {
      $0.unicodeScalars.append($1)
    }
    let document = document(name: FileName(hostile), metadata: [hostile: hostile], link: hostile)
    let bytes = try TestBackend.make("http://127.0.0.1:1").body(of: document)
    let object = try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    #expect(object["name"] as? String == hostile)
    #expect(object["link"] as? String == hostile)
    #expect(object["metadata"] as? [String: String] == [hostile: hostile])
  }
}
