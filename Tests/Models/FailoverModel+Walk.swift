/// Every state of the model, each once.
extension FailoverModel {
  /// The first fault that can come to pass; nil if there is none in any order of steps. Also returns the number of states.
  static func walk(_ flaw: Flaw?) -> (fault: String?, states: Int) {
    let first = FailoverModel(flaw)
    var seen: Set<FailoverModel> = [first]
    var waiting = [first]
    while let model = waiting.popLast() {
      if let fault = model.fault { return (fault, seen.count) }
      if let fault = model.faultAtTheEnd { return (fault, seen.count) }
      for next in model.successors where seen.insert(next).inserted { waiting.append(next) }
    }
    return (nil, seen.count)
  }

  /// From wherever it stands, a host that is left alone brings the file to its end.
  private var faultAtTheEnd: String? {
    for host in 0..<Self.hosts {
      let end = finished(by: host)
      if let fault = end.fault { return fault }
      if isStoppedForPeople, end.file == .gone, !wasRegistered { return "a stopped file is gone" }
      if case .stopped = end.hosts[host].row {
        if isLiftedForPeople { return "it was asked for again, and is stopped" }
        continue
      }
      if end.file == .claimed { return "a file is left to nobody: \(end.hosts[host])" }
      if end.file == .gone, !end.wasRegistered { return "a file is lost" }
    }
    return nil
  }
}
