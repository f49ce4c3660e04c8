import Seams

#if DEBUG
  import ChildProcesses
  import Foundation
  import Jobs
  import Linux
  import Testing

  @testable import Ledger

  /// Each call on a file that an opening of the ledger makes fails once, and from then on: with EIO, and one of three with the other
  /// errors that it can give.
  @Suite(.aside) struct EveryCallTests {
    enum Left: CaseIterable {
      case new, closed, killed
    }

    /// The errors of a call that pass: those of a disk, and of what else it needs.
    private static func errors(of call: Substring) -> [String] {
      switch call {
      case "openat": ["EIO", "EMFILE", "EINTR"]
      case "pwrite", "write", "ftruncate", "fallocate": ["EIO", "ENOSPC"]
      case "lock": ["EIO", "ENOLCK"]
      default: ["EIO"]
      }
    }

    /// A folder with a ledger of two jobs, one of them in flight, as it was left; the folder itself is not opened.
    private static func folder(_ left: Left) async throws -> TemporaryFolder {
      let folder = try TemporaryFolder()
      let box = try LedgerBox()
      if left == .new { return folder }
      let ledger = try box.open()
      _ = try await ledger.admit([.sample("a.pdf"), .sample("b.pdf")])
      _ = try await ledger.beginDue(upTo: 1, in: both)
      if left == .closed { try ledger.close() }
      try copy(box.directory, to: folder.path)
      return folder
    }

    private static func copy(_ from: String, to: String) throws {
      // the index is not worth anything to who opens the ledger after a kill, and the lock goes with its holder
      for name in try FileManager.default.contentsOfDirectory(atPath: from)
      where !name.hasSuffix("-shm") && name != "ledger.lock" {
        try FileManager.default.copyItem(atPath: from + "/" + name, toPath: to + "/" + name)
      }
    }

    private static func open(_ directory: String) throws -> JobLedger {
      try JobLedger.open(directory: directory, clock: TestTime().clock)
    }

    private static func faults(_ ledger: JobLedger, _ left: Left) -> [String] {
      var faults: [String] = []
      if let aside = ledger.setAside, aside.path != nil { faults.append("put aside: \(aside.reason)") }
      if let loss = ledger.loss { faults.append("lost: \(loss)") }
      if left != .new, ledger.counts.jobs[.queued] != 2 { faults.append("\(ledger.counts.jobs[.queued]) jobs") }
      return faults
    }

    /// Returns the faults when a copy of the folder is opened with one failing call, and then without.
    private static func faults(
      of number: Int, _ error: String, stays: Bool, _ left: Left, _ folder: String
    ) throws -> [String] {
      let scratch = try TemporaryFolder()
      try copy(folder, to: scratch.path)
      let calls = try #require(FailingCalls(plan: "\(number)=\(error)\(stays ? "+" : "")"))
      var faults: [String] = []
      do {
        // it closes within, as a process that ends with an error does
        faults += try calls.watch { Self.faults(try open(scratch.path), left) }
      } catch let error as LedgerError {
        if ![.unavailable, .full].contains(error.kind) { faults.append("\(error.kind): \(error.words)") }
        if !error.words.contains(scratch.path) { faults.append("no file: \(error.words)") }
      }
      // the last calls of an opening are those of its end
      guard calls.hasFailed else { return [] }
      faults += Self.faults(try open(scratch.path), left).map { "the next time " + $0 }
      return faults.map { "call \(number), \(error): \($0)" }
    }

    private static func calls(_ folder: String) throws -> [Substring] {
      let scratch = try TemporaryFolder()
      try copy(folder, to: scratch.path)
      let trace = folder + ".trace"
      let calls = try #require(FailingCalls(trace: trace))
      try calls.watch { _ = try open(scratch.path) }
      defer { try? FileManager.default.removeItem(atPath: trace) }
      return try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").map {
        $0.split(separator: " ")[1].prefix { $0 != ":" }
      }
    }

    @Test(arguments: Left.allCases, [false, true])
    func transientErrorsStayTransient(left: Left, stays: Bool) async throws {
      let folder = try await Self.folder(left)
      let calls = try Self.calls(folder.path)
      #expect(calls.count > 50)
      for (index, call) in calls.enumerated() {
        // From then on it is the disk that fails. For a lock that it cannot have SQLite waits for seconds, whatever the error is.
        if stays, call == "lock" || !Seeds.takes(index, of: 2) { continue }
        let errors = stays ? [] : Self.errors(of: call).filter { $0 != "EIO" && Seeds.takes(index, of: 3) }
        for error in ["EIO"] + errors {
          let faults = try Self.faults(of: index + 1, error, stays: stays, left, folder.path)
          #expect(faults == [])
        }
      }
    }
  }
#endif
