import ChildProcesses
import Foundation
import Glibc
import Testing

/// What the other tests take for granted of the processes that they start.
@Suite(.slot) struct ChildProcessTests {
  @Test func childInheritsNoDescriptors() async throws {
    // Without close-on-exec, as a library might have it.
    let open = dup(1)
    defer { close(open) }
    try #require(open > 2)
    // The fourth is the directory that ls reads.
    #expect(try await Command.require(["ls", "/proc/self/fd"]) == "0\n1\n2\n3\n")
    let child = try ChildProcess(["sh", "-c", "ls /proc/self/fd; read line"], input: .written)
    try await child.prints("0\n1\n2\n3\n")
  }

  @Test func starterHoldsNoTestDescriptors() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("held", "x")
    let file = unsafe open(path, O_RDONLY)
    defer { close(file) }
    let child = try ChildProcess(["sh", "-c", "echo $PPID; ls -l /proc/$PPID/fd; read line"], input: .written)
    let output = try await child.prints("a parent's descriptors") { $0.contains("3 -> socket") }
    #expect(output.hasPrefix("\(ChildProcess.starter)\n"))
    // What the parent has open itself: sockets to the test program, the signals that it waits for, and the words of a start that
    // it is at in this moment.
    let places = output.split(separator: "\n").compactMap { $0.split(separator: "> ").dropFirst().first }
    let own = ["/dev/null", "socket:", "anon_inode:", "/memfd:request"]
    #expect(places.count >= 3 && places.allSatisfy { place in own.contains { place.hasPrefix($0) } }, "\(output)")
  }

  @Test func childHasDefaultSignalMask() async throws {
    let child = try Self.withTermBlocked { try ChildProcess(["grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"]) }
    let lines = try await child.result().output.split(separator: "\n")
    let masks = lines.compactMap { UInt64($0.split(separator: "\t").last ?? "", radix: 16) }
    // 32 and 33 are glibc's own; it ignores them on the way.
    #expect(masks.count == 2 && masks.allSatisfy { $0 & ~0x1_8000_0000 == 0 }, "\(lines)")
  }

  private static func withTermBlocked<Result>(_ body: () throws -> Result) rethrows -> Result {
    var blocked = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&blocked)
    unsafe sigaddset(&blocked, SIGTERM)
    unsafe pthread_sigmask(SIG_BLOCK, &blocked, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    return try body()
  }
}
