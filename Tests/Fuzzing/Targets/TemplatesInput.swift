import Foundation
import HTTPTransfer
import Jobs
import ObjectStorage
import Registration
import Settings

/// A template is refused in words, or gives keys that every server and client takes, and bodies that are JSON.
///
/// An input is the template, the file's name and its path, with a NUL between them.
enum TemplatesInput {
  private static let id = JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 0x9E4F_0123_4567_89AB)
  private static let time = Timestamp(year: 2026, month: 11, day: 21)

  static func take(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0, omittingEmptySubsequences: false).map(Array.init)
    let text = String(decoding: parts[0], as: UTF8.self)
    let name = FileName(bytes: parts.count > 1 ? parts[1] : Array("invoice.pdf".utf8))
    let path = parts.count > 2 ? parts[2] : []
    let facts = KeyFacts(
      spool: "scans", id: id, name: name, job: JobNumber(rawValue: 42), host: "scanner-3", path: path, time: time,
      metadata: ["a": name.text])
    let key = key(text, facts)
    if let link = try? LinkTemplate(text) { _ = link.render(bucket: "b", key: key ?? "k", facts: facts) }
    guard let fields = try? FieldTemplates(.object(["file": .text("{name}"), "any": .array([.text(text)])])) else {
      return
    }
    promiseIsJSON(fields, name, path, key ?? "k")
  }

  private static func key(_ text: String, _ facts: KeyFacts) -> String? {
    guard let template = try? KeyTemplate(text), let key = try? template.render(facts) else { return nil }
    promise((1...KeyTemplate.limit).contains(key.utf8.count), "a key of \(key.utf8.count) bytes")
    for segment in key.split(separator: "/", omittingEmptySubsequences: false) {
      promise(!["", ".", ".."].contains(segment), "the key \(key) has the segment \(segment)")
    }
    return key
  }

  private static func promiseIsJSON(_ fields: FieldTemplates, _ name: FileName, _ path: [UInt8], _ key: String) {
    let ticket = Ticket(
      id: id, spool: "scans", name: name, path: path, storage: "main", backend: "main", bucket: "b", key: key,
      contentType: "application/pdf", metadata: ["a": name.text], priority: 0, createdAt: time)
    let document = StoredDocument(
      job: JobNumber(rawValue: 42), ticket: ticket,
      identity: FileIdentity(device: 1, inode: 2, size: 3, modified: 4, changed: 5), link: "s3://b/\(key)",
      receipt: nil)
    guard let none = try? FieldTemplates(.object([:])) else { return promise(false, "no fields are no templates") }
    for (format, fields) in [(BackendSettings.Format.json, fields), (.json, none), (.cloudEvents, none)] {
      let body = RegistrationBody(format, fields: fields, host: "scanner-3").bytes(of: document)
      let isObject = (try? JSONSerialization.jsonObject(with: Data(body))) is [String: Any]
      promise(isObject, "a body that is no JSON object: \(String(decoding: body, as: UTF8.self))")
    }
  }
}
