import Seams

#if DEBUG
  import ChildProcesses
  import Linux
  import Settings
  import Testing

  /// Each call on a file that reading a configuration makes fails.
  @Suite(.aside) struct EveryCallTests {
    private func load(
      _ plan: String?, in folder: TemporaryFolder
    ) throws -> (error: ConfigurationError?, hasFailed: Bool) {
      let calls = try #require(FailingCalls(plan: plan))
      do {
        _ = try calls.watch { try Sample.load(Sample.smallest, in: folder) }
        return (nil, calls.hasFailed)
      } catch let error as ConfigurationError {
        return (error, calls.hasFailed)
      }
    }

    @Test(arguments: ["EIO", "EMFILE", "ESTALE", "ENOMEM"])
    func temporaryReadFailureMayPass(error: String) throws {
      let folder = try TemporaryFolder()
      var failures = 0
      for number in 1... {
        let (problem, hasFailed) = try load("\(number)=\(error)", in: folder)
        guard hasFailed else { break }
        guard let problem else { continue }
        failures += 1
        #expect(problem.mayPass, "call \(number): \(problem)")
        #expect(problem.description.contains(folder.path))
      }
      #expect(failures > 5)
    }

    @Test func deniedReadIsConfigurationError() throws {
      let folder = try TemporaryFolder()
      let (problem, _) = try load("openat:waybill.toml:1=EACCES", in: folder)
      #expect(problem?.mayPass == false)
    }
  }
#endif
