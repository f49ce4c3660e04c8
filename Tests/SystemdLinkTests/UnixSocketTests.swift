import ChildProcesses
import Foundation
import Glibc
import Linux
import Testing

@testable import SystemdLink

@Suite struct UnixSocketTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  private func mode(_ path: String) -> UInt32 {
    var facts = stat()
    return unsafe lstat(path, &facts) == 0 ? facts.st_mode & 0o7777 : 0
  }

  /// Waits after a listener was closed: what other tests spawn has it open until it is another program.
  private func nobodyListens(_ path: String) async throws {
    try await until("nobody to listen") {
      guard let client = Sockets.connect(path) else { return true }
      close(client)
      return false
    }
  }

  /// Also under the longest path.
  @Test func socketListensWithItsMode() throws {
    let path = directory.file(String(repeating: "x", count: UnixSocket.pathLimit - directory.path.utf8.count - 1))
    let socket = try UnixSocket.listen(path: path, mode: 0o660)
    defer { close(socket) }
    #expect(mode(path) == 0o660)
    #expect(socket.path == path && socket.notes.isEmpty)
    let client = try #require(Sockets.connect(path))
    close(client)
  }

  @Test func replacesStaleSocketFile() async throws {
    let path = directory.file("s")
    close(try UnixSocket.listen(path: path))
    try await nobodyListens(path)
    let socket = try UnixSocket.listen(path: path)
    defer { close(socket) }
    let client = try #require(Sockets.connect(path))
    close(client)
  }

  @Test func leavesUsedSocketAndNamesHolder() throws {
    let path = directory.file("s")
    let first = try UnixSocket.listen(path: path)
    defer { close(first) }
    let error = try #require(throws: SystemdError.self) { try UnixSocket.listen(path: path) }
    #expect(error.code == EADDRINUSE && error.subject == path)
    #expect(error.words.hasPrefix("process \(getpid()) of user \(UserName.of(getuid())) already listens there"))
    let client = try #require(Sockets.connect(path))
    close(client)
  }

  @Test func fullBacklogIsNotStale() throws {
    let path = directory.file("s")
    let first = try UnixSocket.listen(path: path, backlog: 0)
    defer { close(first) }
    let client = try #require(Sockets.connect(path))
    defer { close(client) }
    #expect(try #require(throws: SystemdError.self) { try UnixSocket.listen(path: path) }.code == EADDRINUSE)
  }

  @Test func neverRemovesNonSocketFile() throws {
    let path = directory.file("s")
    try "precious".write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try #require(throws: SystemdError.self) { try UnixSocket.listen(path: path) }.code == EEXIST)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
  }

  @Test func doesNotFollowSymbolicLink() throws {
    let target = directory.file("t")
    close(try UnixSocket.listen(path: target))
    try FileManager.default.createSymbolicLink(atPath: directory.file("s"), withDestinationPath: target)
    #expect(throws: SystemdError.self) { try UnixSocket.listen(path: directory.file("s")) }
    #expect(mode(target) != 0)
  }

  @Test func refusesTooLongPath() throws {
    let path = "/tmp/" + String(repeating: "x", count: UnixSocket.pathLimit - 4)
    let error = try #require(throws: SystemdError.self) { try UnixSocket.listen(path: path) }
    #expect(error.code == ENAMETOOLONG && error.words.contains("108 bytes") && error.words.contains("at most 107"))
  }

  @Test func namesMissingDirectoryAndRemedy() throws {
    let error = try #require(throws: SystemdError.self) { try UnixSocket.listen(path: directory.file("no/s")) }
    #expect(error.code == ENOENT && error.words.contains("RuntimeDirectory="))
  }

  @Test func unknownGroupOnlyAddsNote() throws {
    let socket = try UnixSocket.listen(path: directory.file("s"), group: "no-such-group")
    defer { close(socket) }
    #expect(socket.notes.count == 1 && socket.notes.first?.contains("no-such-group does not exist") == true)
  }

  @Test func removesOnlyOwnSocketFile() async throws {
    let path = directory.file("s")
    let first = try UnixSocket.listen(path: path)
    close(first)
    try await nobodyListens(path)
    let second = try UnixSocket.listen(path: path)
    try first.removeFile()
    #expect(mode(path) != 0)
    close(second)
    try second.removeFile()
    #expect(mode(path) == 0)
  }

  @Test func connectionPeerIsKnown() throws {
    let socket = try UnixSocket.listen(path: directory.file("s"))
    defer { close(socket) }
    let client = try #require(Sockets.connect(directory.file("s")))
    defer { close(client) }
    let server = accept(socket.descriptor, nil, nil)
    defer { close(server) }
    let peer = try UnixSocket.peer(of: server)
    #expect(peer.pid == getpid() && peer.uid == getuid())
    #expect(throws: SystemdError.self) { try UnixSocket.peer(of: -1) }
  }

  @Test func namelessUserIsNumber() {
    #expect(UserName.of(0) == "root")
    #expect(UserName.of(3_999_999_999) == "3999999999")
  }
}
