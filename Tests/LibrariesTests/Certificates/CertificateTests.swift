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

  private static let kinds: [([String], String)] = [
    (["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"], "RS256"),
    (["-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"], "PS256"),
    (["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], "ES256"),
    (["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"], "ES384"),
    (["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"], "ES512"),
    (["-algorithm", "ED25519"], "EdDSA"),
  ]

  @Test(arguments: kinds) func keyMatchesOnlyItsCertificate(
    _ options: [String], _ algorithm: String
  ) async throws {
    defer { folder.remove() }
    try await makeKey("key", options)
    try await makeKey("other", options)
    try await makeCertificate("cert", of: "key")
    let certificate = try Certificate(pem: bytes("cert"))
    let key = try PrivateKey(pem: bytes("key"))
    #expect(certificate.belongs(to: key))
    #expect(!certificate.belongs(to: try PrivateKey(pem: bytes("other"))))
    #expect(certificate.notAfter - certificate.notBefore == 30 * 86_400)
    #expect(abs(certificate.notBefore - Int64(Date.now.timeIntervalSince1970)) < 3600)
    #expect(key.algorithm?.rawValue == algorithm)
    #expect(!(try key.signature(of: Array("words".utf8))).isEmpty)
    // One file may hold both, in either order.
    for both in [try bytes("cert") + bytes("key"), try bytes("key") + bytes("cert")] {
      #expect(try Certificate(pem: both).belongs(to: try PrivateKey(pem: both)))
    }
  }

  @Test func thumbprintMatchesOpenSSL() async throws {
    defer { folder.remove() }
    try await makeKey("key", Self.kinds[2].0)
    try await makeCertificate("cert", of: "key")
    let shown = try await Command.run([
      "openssl", "x509", "-in", folder.file("cert"), "-noout", "-fingerprint", "-sha256",
    ])
    let thumbprint = try #require(Certificate(pem: bytes("cert")).thumbprint)
    let text = thumbprint.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined(separator: ":")
    #expect(shown.output.uppercased().contains("=" + text.uppercased()), "\(shown.output)")
  }

  @Test(arguments: kinds) func keySignsOnlyByItsAlgorithms(
    _ options: [String], _ algorithm: String
  ) async throws {
    defer { folder.remove() }
    try await makeKey("key", options)
    let key = try PrivateKey(pem: bytes("key"))
    #expect(key.algorithms.map(\.rawValue) == (algorithm == "RS256" ? ["RS256", "PS256"] : [algorithm]))
    for other in PrivateKey.Algorithm.allCases where !key.algorithms.contains(other) {
      #expect(throws: CertificateFault.cannotSign("it is of another kind than \(other.rawValue)")) {
        _ = try key.signature(of: [], by: other)
      }
    }
  }

  @Test func encryptedKeyNeedsPasswordWithoutPrompt() async throws {
    defer { folder.remove() }
    try await makeKey("plain", Self.kinds[2].0)
    try await makeCertificate("cert", of: "plain")
    try await openssl(
      "pkcs8", "-topk8", "-in", folder.file("plain"), "-out", folder.file("new"), "-passout", "pass:open sesame")
    try await openssl(
      "ec", "-aes256", "-in", folder.file("plain"), "-out", folder.file("old"), "-passout", "pass:open sesame")
    for name in ["new", "old"] {
      let pem = try bytes(name)
      #expect(
        try Certificate(pem: bytes("cert")).belongs(to: PrivateKey(pem: pem, password: Array("open sesame".utf8))))
      #expect(throws: CertificateFault.needsPassword) { _ = try PrivateKey(pem: pem) }
      for wrong in ["", "wrong", String(repeating: "x", count: 5000)] {
        #expect(throws: CertificateFault.wrongPassword) { _ = try PrivateKey(pem: pem, password: Array(wrong.utf8)) }
      }
    }
    // A password for a key that is not encrypted does no harm.
    _ = try PrivateKey(pem: bytes("plain"), password: Array("needless".utf8))
  }

  @Test func reportsInvalidKeyOrCertificate() async throws {
    defer { folder.remove() }
    try await makeKey("key", Self.kinds[2].0)
    try await makeCertificate("cert", of: "key")
    let (key, cert) = (try bytes("key"), try bytes("cert"))
    for none in [[], Array("words".utf8), key, cert.dropLast(60), [UInt8](repeating: 0, count: 4096)] {
      #expect(throws: CertificateFault.noCertificate) { _ = try Certificate(pem: Array(none)) }
    }
    for none in [[], Array("words".utf8), cert] {
      #expect(throws: CertificateFault.noKey) { _ = try PrivateKey(pem: none) }
    }
    let broken = Array(String(decoding: key, as: UTF8.self).replacing("M", with: "N").utf8)
    let fault = #expect(throws: CertificateFault.self) { _ = try PrivateKey(pem: broken) }
    if case .unreadableKey? = fault { return }
    Issue.record("\(String(describing: fault))")
  }

  /// The two numbers of an ECDSA signature in DER, as the command wants them.
  private static func der(_ raw: [UInt8]) -> [UInt8] {
    func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
      [tag] + (content.count < 128 ? [] : [0x81]) + [UInt8(content.count)] + content
    }
    func number(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
      let digits = Array(bytes.drop { $0 == 0 })
      return value(0x02, (digits.first ?? 0x80) >= 0x80 ? [0] + digits : digits)
    }
    return value(0x30, number(raw.prefix(raw.count / 2)) + number(raw.suffix(raw.count / 2)))
  }

  /// The command verifies what was signed, a few times: a number of an ECDSA signature may begin with zeros.
  @Test(arguments: kinds + [(kinds[0].0, "PS256")])
  func signatureVerifiesWithOpenSSL(_ options: [String], _ algorithm: String) async throws {
    defer { folder.remove() }
    try await makeKey("key", options)
    try await openssl("pkey", "-in", folder.file("key"), "-pubout", "-out", folder.file("public"))
    let key = try PrivateKey(pem: bytes("key"))
    for number in 1...20 {
      let words = Array("words \(number)".utf8)
      try Data(words).write(to: folder.url.appending(path: "words"))
      let signature = try key.signature(of: words, by: PrivateKey.Algorithm(rawValue: algorithm))
      let isECDSA = algorithm.hasPrefix("ES")
      if isECDSA { #expect(signature.count == ["ES256": 64, "ES384": 96, "ES512": 132][algorithm]) }
      try Data(isECDSA ? Self.der(signature) : signature).write(to: folder.url.appending(path: "signature"))
      var command = ["openssl", "dgst", "-sha\(algorithm == "EdDSA" ? "256" : String(algorithm.suffix(3)))"]
      command += ["-verify", folder.file("public")]
      if algorithm == "PS256" { command += ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:32"] }
      command += ["-signature", folder.file("signature"), folder.file("words")]
      if algorithm == "EdDSA" {
        command = ["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", folder.file("public")]
        command += ["-sigfile", folder.file("signature"), "-in", folder.file("words")]
      }
      try await Command.require(command)
    }
  }
}
