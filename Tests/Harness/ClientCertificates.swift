import ChildProcesses
import Foundation

/// An authority with certificates for a server and for clients, as openssl makes them, in a folder.
///
/// `server`, `one` (serial 101) and `two` (serial 102) are the authority's, `expired` is the authority's and has ended, and `stranger`
/// is another authority's.
struct ClientCertificates {
  let folder: TemporaryFolder

  init() async throws {
    folder = try TemporaryFolder()
    let script = """
      set -e; cd "$1"
      ec="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
      for name in ca elsewhere; do
        openssl req -x509 $ec -keyout $name.key -out $name.pem -days 9 -subj "/CN=$name" \
          -addext 'basicConstraints=critical,CA:TRUE'
      done
      issue() { # NAME AUTHORITY SERIAL DAYS
        openssl req $ec -keyout $1.key -out $1.csr -subj "/CN=$1"
        printf 'subjectAltName=IP:127.0.0.1' > extensions
        openssl x509 -req -in $1.csr -CA $2.pem -CAkey $2.key -set_serial $3 -days $4 -extfile extensions -out $1.pem
      }
      issue server ca 100 9; issue one ca 101 90; issue two ca 102 9; issue expired ca 103 -1; issue stranger elsewhere 104 90
      """
    try await Command.require(["sh", "-c", script, "sh", folder.path])
  }

  func file(_ name: String) -> String { folder.file(name) }

  /// Puts a certificate into the place that a daemon reads it from, by a rename, as whoever renews them does.
  func put(_ name: String, as place: String) throws {
    let new = folder.url.appending(path: place + ".new")
    try Data(contentsOf: folder.url.appending(path: name)).write(to: new)
    guard unsafe rename(new.path, folder.file(place)) == 0 else { throw Missing("\(place)") }
  }

  func use(_ name: String) throws {
    try put("\(name).pem", as: "live.pem")
    try put("\(name).key", as: "live.key")
  }
}
