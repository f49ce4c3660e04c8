import ChildProcesses

/// Callers that open connections and say nothing.
enum IdleCallers {
  /// Opens many connections, some with the beginning of a request and some after one, holds them, and asks over one more.
  static func ask(_ place: String, _ path: String, holding count: Int) async throws -> String {
    let script = """
      import socket, sys
      place, path, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
      def connect():
          if place.startswith("/"):
              peer = socket.socket(socket.AF_UNIX)
              peer.connect(place)
          else:
              host, port = place.rsplit(":", 1)
              peer = socket.create_connection((host, int(port)))
          return peer
      def ask(peer, more):
          request = f"GET {path} HTTP/1.1\\r\\nHost: {'localhost' if place.startswith('/') else place}\\r\\n{more}\\r\\n"
          peer.sendall(request.encode())
          return peer.recv(65536).split(b" ")[1].decode()
      held = []
      for number in range(count):
          peer = connect()
          if number % 3 == 1: peer.sendall(b"GET / HT")
          if number % 3 == 2: ask(peer, "")
          held.append(peer)
      print(*[ask(connect(), "Connection: close\\r\\n") for _ in range(3)])
      """
    return try await Command.require(["python3", "-c", script, place, path, String(count)])
  }
}
