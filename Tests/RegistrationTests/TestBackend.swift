import Credentials
import HTTPTransfer
import Jobs
import Settings
import Testing

@testable import Registration

enum TestBackend {
  static let id = JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 0x9E4F_0123_4567_89AB)
  static let time = Timestamp(year: 2026, month: 11, day: 21)

  static func make(
    _ url: String, method: BackendSettings.Method = .post, headers: [String: String] = [:],
    conflict: BackendSettings.Conflict = .ask,
    success: BackendSettings.Success = .init(), token: String? = "t0ken", tokenNote: String? = nil,
    format: BackendSettings.Format = .json, fields: [String: FieldValue<String>] = [:],
    secretHeaders: [String: String] = [:],
    signing: String? = nil, unreadable: CredentialError? = nil, health: String? = nil,
    currentToken: (@Sendable () -> String)? = nil, otherToken: (@Sendable (Secret) async -> Bool)? = nil
  ) throws -> Backend {
    var settings = BackendSettings(name: "main", url: url)
    settings.method = method
    settings.format = format
    settings.fields = .object(fields)
    settings.headers = headers.mapValues { .text($0) }
    settings.conflict = conflict
    settings.success = success
    settings.health = health
    settings.timeout = .seconds(60)
    return try Backend(
      settings,
      .init(
        transport: try Transport(maxConnections: 4), now: { time }, host: "scanner-3", userAgent: "waybill/1.2.3"),
      tokenNote: tokenNote,
      secrets: { () async throws(CredentialError) in
        if let unreadable { throw unreadable }
        let token = currentToken?() ?? token
        return Backend.Secrets(token: token.flatMap { Secret(text: $0) }, headers: secretHeaders, signing: signing)
      }, otherToken: otherToken)
  }

  static let checksum = Checksum(
    algorithm: "sha256", type: .full, value: "RM591nyVng01JP+sF3Hfu6h9K2tLTpnkIDSouAP4sHI=")

  static func document(
    name: FileName = FileName("scan 1.pdf"), metadata: [String: String] = [:], checksum: Checksum? = checksum,
    link: String = "s3://documents/k", captures: [String: String] = [:]
  ) -> StoredDocument {
    let ticket = Ticket(
      id: id, spool: "documents", name: name,
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
}

extension Backend {
  func register(
    id: JobID, body: [UInt8], mayVerify: Bool = false
  ) async -> Result<RegistrationReceipt, RegistrationFailure> {
    var document = TestBackend.document()
    document.id = id
    return await register(document, body: body, mayVerify: mayVerify)
  }
}

extension Result where Failure == RegistrationFailure {
  func requireFailed(sourceLocation: SourceLocation = #_sourceLocation) throws -> Jobs.Failure {
    guard case .failure(.failed(let failure)) = self else {
      return try #require(nil, "not a failure: \(self)", sourceLocation: sourceLocation)
    }
    return failure
  }
}
