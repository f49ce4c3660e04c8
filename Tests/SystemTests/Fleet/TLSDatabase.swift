import ChildProcesses
import Foundation

@testable import Harness

/// A PostgreSQL with the fleet's tables that is reached over TLS, with a client's certificate alone. Its roles are `one` and `two`,
/// hosts, and `anna`, an operator, who comes by the Unix socket.
struct TLSDatabase: Sendable {
  let server: PostgreSQLServer
  let certificates: ClientCertificates
  let port: Int

  fileprivate init(in folder: TemporaryFolder) async throws {
    certificates = try await ClientCertificates()
    port = Ports.free()
    let place = try folder.folder("postgres")
    // the server refuses a key that others may read
    for name in ["server.pem", "server.key", "ca.pem"] {
      let copy = place.appending(path: name).path
      try FileManager.default.copyItem(atPath: certificates.file(name), toPath: copy)
      try await Command.require(["chmod", "600", copy])
    }
    let rules = place.appending(path: "hba")
    try "local all all trust\nhostssl all all 127.0.0.1/32 cert clientname=CN\n".write(
      to: rules, atomically: true, encoding: .utf8)
    try await Command.require(["chmod", "644", rules.path])
    server = try await PostgreSQLServer(
      in: place,
      options: [
        "-h", "127.0.0.1", "-c", "hba_file=\(rules.path)", "-c", "ssl=on", "-c",
        "ssl_cert_file=\(place.path)/server.pem", "-c", "ssl_key_file=\(place.path)/server.key", "-c",
        "ssl_ca_file=\(place.path)/ca.pem",
      ], port: port)
    try await Command.require([Products.fleet, "migrate", "--database", server.database()])
    for host in ["one", "two"] {
      try await server.addRole(host, "waybill_host")
    }
    try await server.addRole("anna", "waybill_operator")
  }

  /// The connection string of a host, with the role's own certificate and the test's own folder unless others are given.
  func string(
    _ role: String, certificate: String? = "", authority: String = "ca", host: String = "127.0.0.1",
    mode: String = "verify-full", in folder: String? = nil
  ) -> String {
    let folder = folder ?? certificates.folder.path
    var words = [
      "host=\(host)", "port=\(port)", "user=\(role)", "dbname=postgres", "sslmode=\(mode)",
      "sslrootcert=\(folder)/\(authority).pem",
    ]
    if let certificate {
      let name = certificate.isEmpty ? role : certificate
      words += ["sslcert=\(folder)/\(name).pem", "sslkey=\(folder)/\(name).key"]
    } else {
      words += ["sslcert=\(folder)/none", "sslkey=\(folder)/none"]
    }
    return words.joined(separator: " ")
  }
}

func withTLSDatabase(_ body: (TLSDatabase) async throws -> Void) async throws {
  let folder = try TemporaryFolder()
  let database = try await TLSDatabase(in: folder)
  defer { database.server.cut() }
  try await body(database)
}
