import Seams

#if DEBUG
  import ChildProcesses
  import Linux
  import Testing

  @testable import Spool

  /// Each call on a file that opening a spool makes fails.
  @Suite(.slot, .bounded, .aside) struct EveryCallTests {
    @Test(arguments: ["EIO", "EMFILE", "ENOSPC", "ESTALE", "ENOLCK", "EINTR"])
    func transientOpenFailureLeavesNothing(error: String) throws {
      for number in 1... {
        let place = try Place()
        let calls = try #require(FailingCalls(plan: "\(number)=\(error)"))
        do {
          _ = try calls.watch { try SpoolDirectory(place.options()) }
        } catch let problem as SpoolProblem {
          #expect(problem.errno.map(FileError.mayPass) == true, "call \(number): \(problem)")
          #expect(problem.description.contains(place.path))
        }
        guard calls.hasFailed else { break }
        _ = try SpoolDirectory(place.options())
        #expect(try place.claimed == [])
        #expect(try place.left == [])
      }
    }
  }
#endif
