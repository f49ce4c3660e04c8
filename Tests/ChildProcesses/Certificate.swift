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
  /// in the past, or begins only tomorrow.
  public init(for alternativeName: String, days: Int = 2, isLater: Bool = false) async throws {
    directory = try TemporaryFolder()
    let script = """
      set -e; cd "$1"
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 2 \
        -subj '/CN=test authority' -addext 'basicConstraints=critical,CA:TRUE'
      openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout server.key -out server.csr -subj '/CN=server'
      printf 'subjectAltName=%s' "$2" > extensions
      if [ "$4" = later ]; then
        printf '[ca]\ndefault_ca=d\n[d]\ndatabase=index\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n' > ca.conf
        : > index; echo 01 > serial
        openssl ca -batch -notext -config ca.conf -cert ca.pem -keyfile ca.key -in server.csr -extfile extensions \
          -startdate "$(date -u -d '1 day' +%Y%m%d%H%M%SZ)" -enddate "$(date -u -d '9 days' +%Y%m%d%H%M%SZ)" -out server.pem
        exit
      fi
      openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days "$3" -extfile extensions -out server.pem
      """
    try await Command.require([
      "sh", "-c", script, "sh", directory.path, alternativeName, String(days), isLater ? "later" : "",
    ])
  }
}
