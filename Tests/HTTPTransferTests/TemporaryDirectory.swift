import Foundation
import Testing

/// A directory that goes with its value.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "/waybill-transfer-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      print("left behind: \(path): \(error)")
    }
  }
}

/// A server's certificate for one name, signed by an authority of its own.
struct Certificate {
  let directory: TemporaryDirectory
  var authority: String { directory.path + "/ca.pem" }
  var chain: String { directory.path + "/server.pem" }
  var key: String { directory.path + "/server.key" }

  init(for alternativeName: String) async throws {
    directory = try TemporaryDirectory()
    let script = """
      set -e; cd "$1"
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 2 \
        -subj '/CN=test authority' -addext 'basicConstraints=critical,CA:TRUE'
      openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout server.key -out server.csr -subj '/CN=server'
      printf 'subjectAltName=%s' "$2" > extensions
      openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile extensions -out server.pem
      """
    let said = try await onOwnThread { [directory] in
      try output(of: "/bin/sh", ["-c", script, "sh", directory.path, alternativeName])
    }
    try #require(FileManager.default.fileExists(atPath: directory.path + "/server.pem"), "openssl: \(said)")
  }
}
