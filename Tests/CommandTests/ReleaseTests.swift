import ChildProcesses
import ControlAPI
import ControlServer
import ControlTesting
import Jobs
import Testing

/// `waybill release`: what people are told of a file that was given back.
@Suite(.slot, .bounded)
struct ReleaseTests {
  /// The state is the same for both, and people are told what became of the file.
  @Test func releasedIsNotCalledDiscarded() async throws {
    try await withControlServer(try await jobs(3).operations) { socket in
      #expect(try await waybill(socket, "release", "--all", "--to", "/srv/back").output == "0 jobs released\n")
      _ = try await waybill(socket, "cancel", "1", "2", "3")
      _ = try await waybill(socket, "release", "1", "--to", "/srv/back")
      _ = try await waybill(socket, "discard", "2", "--yes")
      let list = try await waybill(socket, "list").output.split(separator: "\n").map(String.init)
      #expect(
        list.contains { $0.contains("1.pdf") && $0.contains(" released ") && !$0.contains("discarded") }, "\(list)")
      #expect(
        list.contains { $0.contains("2.pdf") && $0.contains(" discarded ") && !$0.contains("released") }, "\(list)")
      let status = try await waybill(socket, "status").output
      #expect(status.contains("2 released or discarded"), "\(status)")
      let released = try await waybill(socket, "show", "1").output
      #expect(released.contains("\nreleased\n") && !released.contains("discarded"), "\(released)")
      #expect(released.contains("\nReleased      to /srv/back, by \(user)\n"), "\(released)")
      let discarded = try await waybill(socket, "show", "2").output
      #expect(discarded.contains("\ndiscarded\n") && !discarded.contains("eleased"), "\(discarded)")
      let dry = try await waybill(socket, "retry", "1", "2", "--dry-run")
      #expect(
        dry.errors.contains("job 1 is released; it cannot") && dry.errors.contains("job 2 is discarded; it cannot"),
        "\(dry)")
    }
  }
}
