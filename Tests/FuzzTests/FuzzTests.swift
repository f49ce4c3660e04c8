import ChildProcesses
import FuzzTargets
import Testing

/// Each reader of bytes from outside, in a process of its own: its corpus, and a few thousand inputs made of it.
/// `make fuzz` gives them millions, led by libFuzzer.
@Suite(.slot) struct FuzzTests {
  @Test(arguments: FuzzTarget.allCases) func fuzzedInputBreaksNoInvariant(_ target: FuzzTarget) async throws {
    var random = Seeds.numbers()
    let words = [
      Products.fuzzer, target.rawValue, Products.source("Tests/Fuzzing/Corpus/\(target.rawValue)"), "--runs", "2000",
      "--seed", String(random.next()),
    ]
    let fuzzer = try await Command.run(words, environment: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(
      fuzzer.status == 0, "\(words.joined(separator: " ")) --trace shows the input. \(fuzzer.errors.suffix(2000))")
    #expect(fuzzer.output.contains("2000 made of them"))
  }
}
