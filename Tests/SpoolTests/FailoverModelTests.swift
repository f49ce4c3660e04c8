import Testing

/// Walks through every state of ``FailoverModel``, each once.
@Suite struct FailoverModelTests {
  /// The first fault that can come to pass; nil if there is none in any order of steps. Also returns the number of states.
  private func walk(_ flaw: FailoverModel.Flaw?) -> (fault: String?, states: Int) {
    let first = FailoverModel(flaw)
    var seen: Set<FailoverModel> = [first]
    var waiting = [first]
    while let model = waiting.popLast() {
      if let fault = model.fault { return (fault, seen.count) }
      if let fault = end(of: model) { return (fault, seen.count) }
      for next in model.successors where seen.insert(next).inserted { waiting.append(next) }
    }
    return (nil, seen.count)
  }

  /// From wherever it stands, a host that is left alone brings the file to its end.
  private func end(of model: FailoverModel) -> String? {
    for host in 0..<FailoverModel.hosts {
      let end = model.finished(by: host)
      if let fault = end.fault { return fault }
      if model.isStoppedForPeople, end.file == .gone, !model.wasRegistered { return "a stopped file is gone" }
      if case .stopped = end.hosts[host].row {
        if model.isLiftedForPeople { return "it was asked for again, and is stopped" }
        continue
      }
      if end.file == .claimed { return "a file is left to nobody: \(end.hosts[host])" }
      if end.file == .gone, !end.wasRegistered { return "a file is lost" }
    }
    return nil
  }

  @Test func inNoOrderOfStepsIsAnythingLostOrSentTwiceOrSentAfterAStop() {
    let (fault, states) = walk(nil)
    #expect(fault == nil)
    #expect(states > 10_000, "the walk goes somewhere: \(states)")
    print("failover model: \(states) states")
  }

  @Test(arguments: FailoverModel.Flaw.allCases)
  func eachMistakeIsFound(_ flaw: FailoverModel.Flaw) {
    #expect(walk(flaw).fault != nil)
  }
}
