/// A server's certificate for one name, signed by an authority of its own.
public struct Certificate: Sendable {
  private let directory: TemporaryFolder
  /// The file of the authority that a client is to trust.
  public var authority: String { directory.file("ca.pem") }
  /// The file of the certificate.
  public var chain: String { directory.file("server.pem") }
  /// The file of its key.
  public var key: String { directory.file("server.key") }

  /// A certificate for a name as openssl has it, e.g. `DNS:localhost` or `IP:127.0.0.1`; it ends in so many days, which may be
  /// in the past.
  public init(for alternativeName: String, days: Int = 2) async throws {
    directory = try TemporaryFolder()
    let script = """
      set -e; cd "$1"
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 2 \
        -subj '/CN=test authority' -addext 'basicConstraints=critical,CA:TRUE'
      openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout server.key -out server.csr -subj '/CN=server'
      printf 'subjectAltName=%s' "$2" > extensions
      openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days "$3" -extfile extensions -out server.pem
      """
    try await Command.require(["sh", "-c", script, "sh", directory.path, alternativeName, String(days)])
  }
}
