import ChildProcesses
import Foundation
import Glibc

/// A real nginx: before other servers, or in the place of one.
struct NginxProxy {
  let port = Ports.free()
  private let child: ChildProcess

  /// Starts one that serves what the lines of a `server` say, and waits until it listens. `http` stands before the server.
  init(serving lines: String, http: String = "", in parent: URL) async throws {
    let folder = try parent.madeFolder("nginx")
    let kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    let places = kinds.map { "\($0)_temp_path \(folder.path)/\($0);" }.joined(separator: " ")
    let configuration = """
      daemon off;
      \(geteuid() == 0 ? "user root;" : "")
      worker_processes 1;
      pid \(folder.path)/pid;
      error_log stderr;
      events {}
      http {
        \(places)
        access_log off;
        \(http)
        server {
          listen 127.0.0.1:\(port);
          \(lines)
        }
      }
      """
    let config = folder.appending(path: "nginx.conf")
    try configuration.write(to: config, atomically: true, encoding: .utf8)
    child = try ChildProcess(
      Products.unpacked("nginx") + ["nginx", "-p", folder.path, "-e", "stderr", "-c", config.path], folder: folder,
      log: "nginx")
    try await until("nginx to listen") { [child, port] in
      guard try child.ending() == nil else { throw Missing("nginx ended at its start: \(child.errorText)") }
      return try await HTTPAnswer.call("GET", "http://127.0.0.1:\(port)/").status != 0
    }
  }

  func cut() { child.cut() }
}
