import ChildProcesses
import Foundation
import Glibc
import Linux
import Testing

@Suite struct LeaseTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func writers() throws -> Writers {
    try scratch.directory.writers(of: bytes("f"), whose: scratch.directory.facts(of: bytes("f")))
  }

  /// Waits until nobody has the file open for writing: what other tests spawn has all of this process's open until it is
  /// another program.
  private func untilNoWriters() async throws {
    try await until("nobody to write") { try writers() == .none }
  }

  @Test func detectsOpenWriter() async throws {
    let file = try scratch.directory.create(bytes("f"), permissions: 0o600)
    #expect(try writers() == .some)
    _ = consume file
    try await untilNoWriters()
    let reader = try scratch.directory.open(bytes("f"))
    #expect(try writers() == .none)
    withExtendedLifetime(reader) {}
  }

  /// Bytes may be written through memory after the descriptor is closed.
  @Test func mappedFileCountsAsOpen() async throws {
    let file = try scratch.directory.create(bytes("f"), permissions: 0o600)
    try file.write(bytes("bytes"), path: "f")
    // A mapping of five bytes that is taken back below.
    let memory = unsafe mmap(nil, 5, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0)
    #expect(unsafe memory != MAP_FAILED)
    _ = consume file
    #expect(try writers() == .some)
    #expect(unsafe munmap(memory, 5) == 0)
    try await untilNoWriters()
  }

  @Test func leaseBlocksWritersWhileHeld() async throws {
    try scratch.write("x", bytes("f"))
    try await untilNoWriters()
    let path = scratch.path + "/f"
    func opened() -> Bool {
      let file = unsafe open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      if file >= 0 { close(file) }
      return file >= 0
    }
    try await until("a lease") {
      let (lease, facts) = try scratch.directory.leaseOurs(bytes("f"))
      #expect(facts == (try scratch.directory.facts(of: bytes("f"))))
      // what other tests spawn has this file open for writing for a moment
      return withExtendedLifetime(lease) { lease.writers == .none && !opened() }
    }
    #expect(opened())
  }

  @Test func writtenFileReturnsFactsWithoutLease() throws {
    let file = try scratch.directory.create(bytes("f"), permissions: 0o600)
    let (lease, facts) = try scratch.directory.leaseOurs(bytes("f"))
    #expect(lease.writers == .some && facts.kind == .regular && facts.size == 0)
    withExtendedLifetime(file) {}
    let error = #expect(throws: FileError.self) { try scratch.directory.leaseOurs(bytes("none")) }
    #expect(error?.errno == ENOENT)
  }

  @Test func writersOfUnopenableFileAreUnknown() throws {
    try scratch.write("x", bytes("f"))
    let facts = try scratch.directory.facts(of: bytes("f"))
    #expect(scratch.directory.writers(of: bytes("none"), whose: facts) == .unknown)
    let directory = try scratch.directory.facts()
    #expect(scratch.directory.writers(of: bytes("f"), whose: directory) == .unknown)
  }

  /// Others' files cannot be leased without CAP_LEASE.
  @Test(.needs(.otherUser)) func writersOfForeignFileAreUnknown() async {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      try scratch.write("x", bytes("f"))
      #expect(unsafe chmod(scratch.path + "/f", 0o644) == 0)
      #expect(setgroups(0, nil) == 0 && setgid(65_534) == 0 && setuid(65_534) == 0)
      #expect(!ProcessRights.mayLeaseOthersFiles)
      let directory = scratch.directory
      #expect(directory.writers(of: bytes("f"), whose: try directory.facts(of: bytes("f"))) == .unknown)
    }
  }

  /// Runs what blocks on a thread of its own: those of the pool, two on a small machine, are for all tests.
  private func onThread(_ body: @escaping @Sendable () -> Int) async -> Int {
    await withCheckedContinuation { done in Thread.detachNewThread { done.resume(returning: body()) } }
  }

  /// The kernel signals whoever holds a lease that is in the way, and that must not end the process.
  @Test func survivesWritersDuringLease() async throws {
    try scratch.write("x", bytes("f"))
    let path = scratch.path + "/f"
    let facts = try scratch.directory.facts(of: bytes("f"))
    let rounds = 5000
    let opening: @Sendable () -> Int = {
      (0..<rounds).count { _ in
        let file = unsafe open(path, O_WRONLY | O_CLOEXEC)
        if file >= 0 { close(file) }
        return file >= 0
      }
    }
    async let one = onThread(opening)
    async let other = onThread(opening)
    let known = await onThread { [scratch] in
      (0..<rounds).count { _ in scratch.directory.writers(of: bytes("f"), whose: facts) != .unknown }
    }
    #expect(await [one, other, known] == [rounds, rounds, rounds])
  }
}
