#if !LIBFUZZER
  public import ArgumentParser
  import Foundation
  public import FuzzTargets

  /// Gives a target its corpus, and then inputs made of it at random. A broken promise ends the process.
  @main
  struct FuzzCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "waybill-fuzz", abstract: "Feed one of Waybill's readers with what nobody would send it.")

    @Argument(help: "Which reader.") var target: FuzzTarget
    @Argument(help: "A folder of inputs.") var corpus: String
    @Option(help: "How many inputs are made of the corpus.") var runs = 1000
    @Option(help: "What the random changes begin with.") var seed: UInt64 = 1
    @Flag(help: "Print each input in base64 before it is given; the last one printed broke it.") var trace = false

    func run() throws {
      let folder = URL(filePath: corpus)
      let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      let inputs = try files.sorted { $0.path < $1.path }.map { [UInt8](try Data(contentsOf: $0)) }
      guard !inputs.isEmpty else { throw ValidationError("\(corpus) has no input") }
      for input in inputs { give(input) }
      var mutator = Mutator(corpus: inputs, seed: seed)
      for _ in 0..<runs { give(mutator.next()) }
      print("\(target.rawValue): \(inputs.count) inputs of the corpus and \(runs) made of them")
    }

    private func give(_ input: [UInt8]) {
      if trace { FileHandle.standardError.write(Data("\(Data(input).base64EncodedString())\n".utf8)) }
      target.take(input)
    }
  }

  extension FuzzTarget: ExpressibleByArgument {}
#endif
