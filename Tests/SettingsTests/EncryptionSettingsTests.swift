import ChildProcesses
import Credentials
import Settings
import Testing

@Suite struct EncryptionSettingsTests {
  private let directory: TemporaryFolder

  init() throws {
    directory = try TemporaryFolder()
    try directory.write("customer", "BQ0VHSUtNT1FTVVdZW11fYWNlZ2lrbW9xc3V3eXt9f0=\n")
    try directory.write("short", "secret\n")
  }

  private static let arn = "arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab"

  private static func text(_ lines: String, endpoint: String? = nil) -> String {
    let text = Sample.smallest.replacing("[storage.main]\n", with: "[storage.main]\n\(lines)\n")
    return endpoint.map { text.replacing("https://s3.eu-central-1.amazonaws.com", with: $0) } ?? text
  }

  @Test func readsValidSettings() throws {
    let customerKey = "encryption = { customer_key = { file = \"KEYS/customer\" } }"
    let rows: [(String, StorageSettings.Encryption?)] = [
      ("encryption = { kms = \"\(Self.arn)\" }", .kms(Self.arn)),
      ("encryption = { kms = \"alias/aws/s3\" }", .kms("alias/aws/s3")),
      (customerKey, .customerKey(.file(directory.file("customer")))),
      ("", nil),
    ]
    for (lines, encryption) in rows {
      let storage = try #require(try Sample.load(Self.text(lines), in: directory).storages["main"])
      #expect(storage.encryption == encryption, "\(lines)")
      let other = try Sample.load(Self.text("checksum = \"none\""), in: directory)
      #expect(try Sample.load(Self.text(lines), in: directory).changes(from: other).changed == ["storage.main"])
    }
    // Nobody is on the way to the own machine.
    for endpoint in ["http://127.0.0.1:9000", "http://localhost:9000", "http://[::1]:9000", "https://s3.example.com"] {
      #expect(try Sample.problems(Self.text(customerKey, endpoint: endpoint), in: directory) == [])
    }
  }

  @Test(
    arguments: Broken.rows(
      #"""
      1 [storage.main]⏎encryption = { kms = "" }
        F:2: storage.main.encryption.kms: is empty; write it like kms = "1234abcd-12ab-34cd-56ef-1234567890ab"
      1 [storage.main]⏎encryption = { kms = "aws:kms" }
        F:2: storage.main.encryption.kms: "aws:kms" is a way to encrypt and not a key; write the key's id or ARN
      1 [storage.main]⏎encryption = { kms = "arn:aws:s3:::documents" }
        F:2: storage.main.encryption.kms: "arn:aws:s3:::documents" is not the id or ARN of a KMS key; write it as KMS shows it
      1 [storage.main]⏎encryption = {}
        F:2: storage.main.encryption: does not say what to encrypt with; write encryption = { customer_key = { file = "/etc/waybill/keys/customer-key" } }, or encryption = { kms = "KEY-ID" }
      1 [storage.main]⏎encryption = { kms = "a", customer_key = { file = "KEYS/customer" } }
        F:2: storage.main.encryption: names two keys; write encryption = { customer_key = { file = "/etc/waybill/keys/customer-key" } }, or encryption = { kms = "KEY-ID" }
      1 [storage.main]⏎encryption = { customer_key = "BQ0VHSUtNT1FTVVdZW11fYWNlZ2lrbW9xc3V3eXt9f0=" }
        F:2: storage.main.encryption.customer_key: is a string, but a secret must not be in the configuration; put it into a file and write customer_key = { file = "/etc/waybill/keys/customer-key" }
      1 [storage.main]⏎encryption = { customer_key = { file = "KEYS/short" } }
        F:2: storage.main.encryption.customer_key: KEYS/short is no key of 256 bits; it must hold 32 bytes, or their base64 on one line: openssl rand -base64 32
      1 [storage.main]⏎encryption = { kms = "a" }⏎headers = { x-amz-server-side-encryption = "x" }
        F:2: storage.main.encryption: says the same as the header x-amz-server-side-encryption; leave that header out
      1 [storage.main]⏎headers = { x-amz-request-payer = "{name}", x-amz-acl = "{metadata.acl}" }
        F:2: storage.main.headers.x-amz-request-payer: has a placeholder, but this header goes with requests that are not about one file; write its value without placeholders
      2 endpoint = "http://s3.example.com"⏎encryption = { customer_key = { file = "KEYS/customer" } }
        F:3: storage.main.encryption.customer_key: has a customer's key, which each request would show to everybody on its way over http; write an endpoint with https://
      2 endpoint = "http://127.evil.example"⏎headers = { x-amz-server-side-encryption-customer-key = "x" }
        F:3: storage.main.headers.x-amz-server-side-encryption-customer-key: is set by waybill; write encryption = { customer_key = { file = "PATH" } }
      """#))
  func reportsInvalidSettings(broken: Broken) throws { try broken.check(in: directory) }
}
