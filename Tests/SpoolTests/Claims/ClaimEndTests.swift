import Seams

#if DEBUG
  import ChildProcesses
  import Linux
  import Testing

  @testable import Spool

  /// The end of a claim of one, two and three files: whoever does whatever before each call, or after a crash at it, loses nothing, and
  /// no file is in the archive twice.
  @Suite(.slot, .bounded, .aside) struct ClaimEndTests {
    /// One end of three for each kind of claim; others with other seeds, all with `WAYBILL_TEST_ALL=1`.
    private static let cases: [(ClaimEndModel.Kind, ClaimEndModel.End)] =
      ClaimEndModel.Kind.allCases.enumerated().flatMap { kind in
        ClaimEndModel.End.allCases.enumerated().filter { Seeds.takes(kind.offset + $0.offset, of: 3) }.map {
          (kind.element, $0.element)
        }
      }

    /// One call of so many is disturbed. It has no divisor in common with the share of the cases, so that each pair has its turn.
    private static let share = 7

    private func calls(_ kind: ClaimEndModel.Kind, _ end: ClaimEndModel.End) throws -> Int {
      let model = try ClaimEndModel(kind, end)
      let calls = try #require(FailingCalls())
      #expect(try calls.watch { try model.dispose() } == true)
      #expect(try model.fault(isOver: true) == nil)
      return Int(calls.count)
    }

    /// Tries again, as the daemon does at each rescan and start, and looks whether all is well.
    private func finish(_ model: ClaimEndModel, _ words: String) throws {
      var end: Bool?
      for _ in 1...3 where end == nil { end = try model.dispose() }
      if end == false { try model.readmit() }
      let fault = try model.fault(isOver: end == true)
      #expect(fault == nil && end != nil, "\(words): \(fault ?? "it does not end")")
    }

    @Test(arguments: cases)
    func concurrentChangesLoseNothing(kind: ClaimEndModel.Kind, end: ClaimEndModel.End) throws {
      for number in 1...(try calls(kind, end)) where Seeds.takes(number, of: Self.share) {
        for deed in ClaimEndModel.Deed.allCases where deed != .nothing {
          let model = try ClaimEndModel(kind, end)
          let calls = try #require(FailingCalls(before: UInt64(number)) { model.does(deed) })
          do {
            let end = try calls.watch { try model.dispose() }
            #expect(end != false || deed != .setMode, "nothing to be sent anew: \(deed) before call \(number)")
          } catch is FileError {
            // It is told, and tried again.
          }
          try model.undo(deed)
          try finish(model, "\(deed) before call \(number)")
        }
      }
    }

    @Test(arguments: cases)
    func crashAtAnyCallLosesNothing(kind: ClaimEndModel.Kind, end: ClaimEndModel.End) throws {
      for number in 1...(try calls(kind, end)) where Seeds.takes(number, of: Self.share) {
        for deed in ClaimEndModel.Deed.allCases {
          let model = try ClaimEndModel(kind, end)
          let calls = try #require(FailingCalls(plan: "\(number)=EIO*"))
          do {
            _ = try calls.watch { try model.dispose() }
          } catch is FileError {
          } catch is SpoolProblem {
          }
          model.does(deed)
          if deed == .moveArchive {
            do {
              _ = try model.dispose()
            } catch is FileError {
              // The archive is away.
            }
          }
          try model.undo(deed)
          try finish(model, "a crash at call \(number), then \(deed)")
        }
      }
    }

    @Test(arguments: cases)
    func retriesRefusedCalls(kind: ClaimEndModel.Kind, end: ClaimEndModel.End) throws {
      for number in 1...(try calls(kind, end)) where Seeds.takes(number, of: Self.share) {
        for error in ["EIO", "EINVAL", "ENOSPC", "EXDEV"] {
          for stays in ["", "+"] {
            let model = try ClaimEndModel(kind, end)
            let calls = try #require(FailingCalls(plan: "\(number)=\(error)\(stays)"))
            var result: Bool?
            do {
              result = try calls.watch { try model.dispose() }
            } catch is FileError {
            } catch is SpoolProblem {
            }
            if result == false { try model.readmit() } else { try finish(model, "\(error)\(stays) of call \(number)") }
          }
        }
      }
    }
  }
#endif
