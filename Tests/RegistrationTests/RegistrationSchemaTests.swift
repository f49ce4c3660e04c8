import ChildProcesses
import Foundation
import Jobs
import Settings
import Testing

@testable import Registration

@Suite struct RegistrationSchemaTests {
  private func body(of document: StoredDocument, _ format: BackendSettings.Format = .json) throws -> [String: Any] {
    let body = try TestBackend.make("http://127.0.0.1:1", format: format).body(of: document)
    return try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
  }

  /// A group with a name that is not UTF-8, which takes the place of another registration: all members are there.
  private var document: StoredDocument {
    let receipt = UploadReceipt(
      bucket: "documents", key: "k/", size: 1, etag: "e", version: nil, sha256: nil,
      checksum: Checksum(algorithm: "sha256", type: .full, value: "AA=="), contentType: "inode/directory",
      uploadedAt: Timestamp(seconds: 1))
    let identity = FileIdentity(device: 1, inode: 2, size: 1, modified: 3, changed: 4)
    let ticket = Ticket(
      id: JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 0x9E4F_0123_4567_89AB), spool: "documents",
      name: FileName(bytes: [0x61, 0xFF]), storage: "main", backend: "main", bucket: "documents", key: "k/",
      contentType: "inode/directory", metadata: [:], priority: 0, createdAt: Timestamp(seconds: 0))
    var files = GroupList()
    files.add(GroupMember(path: FileName("a"), identity: identity, receipt: receipt), key: "k/a", link: "s3://b/k/a")
    files.end()
    return StoredDocument(
      job: JobNumber(rawValue: 42), ticket: ticket, identity: identity, link: "s3://documents/k/", receipt: receipt,
      files: files, id: JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 0x9E4F_0123_4567_89AC))
  }

  @Test func schemaMatchesRegistrationAndGroupFiles() throws {
    let schema = try SchemaFile("registration")
    let members = try body(of: document)
    #expect(try schema.members(schema.root).keys.sorted() == members.keys.sorted())
    let optional: Set = ["replaces", "name_base64", "files"]
    #expect(try schema.required(schema.root) == Set(members.keys).subtracting(optional))
    let file = try #require((members["files"] as? [[String: Any]])?.first)
    #expect(try schema.members(try schema.definition("file")).keys.sorted() == file.keys.sorted())
    #expect(try schema.required(try schema.definition("file")) == Set(file.keys))
    let checksum = try #require(members["checksum"] as? [String: Any])
    #expect(try schema.members(try schema.definition("checksum")).keys.sorted() == checksum.keys.sorted())
  }

  @Test func schemaMatchesCloudEvent() throws {
    let schema = try SchemaFile("cloudevent")
    let members = try body(of: document, .cloudEvents)
    #expect(try schema.members(schema.root).keys.sorted() == members.keys.sorted())
    var named = document
    named.receipt = nil
    #expect(try schema.required(schema.root) == Set(try body(of: named, .cloudEvents).keys))
  }
}
