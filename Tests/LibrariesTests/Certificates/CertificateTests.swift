import ChildProcesses
import Foundation
import Testing

@testable import OpenSSL

private typealias Certificate = OpenSSL.Certificate

/// Keys and certificates that the command of OpenSSL made, of each kind that there is.
@Suite(.slot, .bounded) struct CertificateTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func openssl(_ words: String...) async throws { try await Command.require(["openssl"] + words) }

  private func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: folder.url.appending(path: name))) }

  private func makeKey(_ name: String, _ options: [String]) async throws {
    try await Command.require(["openssl", "genpkey", "-out", folder.file(name)] + options)
  }

  private func makeCertificate(_ name: String, of key: String, days: Int = 30) async throws {
    try await openssl(
      "req", "-x509", "-new", "-key", folder.file(key), "-out", folder.file(name), "-days", "\(days)", "-subj", "/CN=c")
  }

  private static let kinds: [[String]] = [
    ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
    ["-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"],
    ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
    ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"],
    ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"],
    ["-algorithm", "ED25519"],
  ]

  @Test(arguments: kinds) func keyMatchesOnlyItsCertificate(_ options: [String]) async throws {
    defer { folder.remove() }
    try await makeKey("key", options)
    try await makeKey("other", options)
    try await makeCertificate("cert", of: "key")
    let certificate = try Certificate(pem: bytes("cert"))
    #expect(try certificate.belongs(toKey: bytes("key")) && !certificate.belongs(toKey: bytes("other")))
    #expect(certificate.notAfter - certificate.notBefore == 30 * 86_400)
    #expect(abs(certificate.notBefore - Int64(Date.now.timeIntervalSince1970)) < 3600)
    // One file may hold both, in either order.
    for both in [try bytes("cert") + bytes("key"), try bytes("key") + bytes("cert")] {
      #expect(try Certificate(pem: both).belongs(toKey: both))
    }
  }

  @Test func encryptedKeyIsRefusedWithoutPrompt() async throws {
    defer { folder.remove() }
    try await makeKey("plain", Self.kinds[2])
    try await makeCertificate("cert", of: "plain")
    let certificate = try Certificate(pem: bytes("cert"))
    try await openssl(
      "pkcs8", "-topk8", "-in", folder.file("plain"), "-out", folder.file("new"), "-passout", "pass:open sesame")
    try await openssl(
      "ec", "-aes256", "-in", folder.file("plain"), "-out", folder.file("old"), "-passout", "pass:open sesame")
    for name in ["new", "old"] {
      let pem = try bytes(name)
      #expect(throws: CertificateFault.encryptedKey) { try certificate.belongs(toKey: pem) }
    }
  }

  @Test func reportsInvalidKeyOrCertificate() async throws {
    defer { folder.remove() }
    try await makeKey("key", Self.kinds[2])
    try await makeCertificate("cert", of: "key")
    let (key, cert) = (try bytes("key"), try bytes("cert"))
    for none in [[], Array("words".utf8), key, cert.dropLast(60), [UInt8](repeating: 0, count: 4096)] {
      #expect(throws: CertificateFault.noCertificate) { _ = try Certificate(pem: Array(none)) }
    }
    let certificate = try Certificate(pem: cert)
    for none in [[], Array("words".utf8), cert] {
      #expect(throws: CertificateFault.noKey) { try certificate.belongs(toKey: none) }
    }
    let broken = Array(String(decoding: key, as: UTF8.self).replacing("M", with: "N").utf8)
    let fault = #expect(throws: CertificateFault.self) { try certificate.belongs(toKey: broken) }
    if case .unreadableKey? = fault { return }
    Issue.record("\(String(describing: fault))")
  }
}
