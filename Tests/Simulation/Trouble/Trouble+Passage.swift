import HTTPTransfer
package import Jobs
package import SeededNumbers

extension Trouble {
  /// Draws the fate of a request that is sent now.
  package func passage(
    of request: FarRequest, at now: Duration, wall: Timestamp, load: Load, isStorage: Bool,
    _ numbers: inout SplitMix64
  ) -> Passage {
    let conditions = conditions(at: now)
    let latency = conditions.lazy.compactMap { if case .isSlow(let slow) = $0 { slow } else { nil } }.first
    let times = (latency ?? self.latency).draw(bytes: request.body.count, &numbers)
    let way = Way(now: now, times: times, form: ErrorForm(isStorage: isStorage, wall: wall))
    for condition in conditions {
      if let passage = condition.passage(of: request, way, &numbers) { return passage.fitting(request) }
    }
    if end.map({ now < $0 }) ?? true, let answer = overload(load, way.form) {
      return way.instead(answer).fitting(request)
    }
    return Passage(actsAt: way.arrival, .answer(at: way.end))
  }

  private func overload(_ load: Load, _ form: ErrorForm) -> FarAnswer? {
    if let mostAtOnce, load.busy >= mostAtOnce { return form.answer(503, .absent) }
    if let mostPerSecond, load.lastSecond > mostPerSecond {
      return form.answer(form.isStorage ? 503 : 429, .absent, code: "SlowDown")
    }
    return nil
  }
}

struct Way {
  var now: Duration
  var times: (request: Duration, answer: Duration)
  var form: ErrorForm

  var arrival: Duration { now + times.request }
  var end: Duration { arrival + times.answer }

  /// Another answer comes, and the server has acted on the request or not.
  func instead(_ answer: FarAnswer, acts: Bool = false) -> Passage {
    Passage(actsAt: acts ? arrival : nil, .instead(answer, at: end))
  }
}

extension Passage {
  /// The same, without a body in the answer to a HEAD (RFC 9110, 9.3.2).
  fileprivate func fitting(_ request: FarRequest) -> Passage {
    guard request.method == "HEAD", case .instead(var answer, let time) = outcome else { return self }
    answer.body = []
    return Passage(actsAt: actsAt, .instead(answer, at: time))
  }
}

extension Condition {
  /// Returns the fate that this condition means for a request; nil if it leaves it alone.
  ///
  /// It draws as many numbers whether it decides or not, so that a request that is left alone changes no later one.
  func passage(of request: FarRequest, _ way: Way, _ numbers: inout SplitMix64) -> Passage? {
    func failure(_ trouble: TransferTrouble, acts: Bool = false) -> Passage {
      Passage(actsAt: acts ? way.arrival : nil, .failure(trouble, at: way.end))
    }
    switch self {
    case .refusesConnections: return failure(TransferTrouble(.connect))
    case .hasNoName: return failure(TransferTrouble(.resolve))
    case .cutsHandshakes: return failure(TransferTrouble(.tlsHandshake))
    case .hasWrongCertificate: return failure(TransferTrouble(.tlsCertificate))
    case .dropsPackets: return Passage(actsAt: nil, .silence(isConnected: false))
    case .isSilent(let permille):
      return Passage(actsAt: numbers.isOne(in: permille) ? way.arrival : nil, .silence(isConnected: true))
    case .loses(let before, let after):
      let draw = numbers.index(below: 1000)
      guard draw < before + after else { return nil }
      return failure(TransferTrouble(.connectionLost, requestMayHaveArrived: true), acts: draw >= before)
    case .answers(let status, let permille, let wait, let acts):
      let isMet = numbers.isOne(in: permille)
      let hasActed = numbers.isOne(in: acts)
      return isMet ? way.instead(way.form.answer(status, wait), acts: hasActed) : nil
    case .refusesKeys: return way.instead(way.form.refusedKey)
    case .refusesJobs(let status, let permille, let salt):
      return request.isOf(permille: permille, salt: salt) ? way.instead(way.form.answer(status, .absent)) : nil
    case .answersWithPage(let status):
      let page = "<!DOCTYPE html><html><head><title>Welcome</title></head><body>Sign in</body></html>"
      return way.instead(FarAnswer(status, type: "text/html", page))
    case .isSlow: return nil
    }
  }
}

extension FarRequest {
  /// True if what it is about belongs to a share that the salt chooses: always the same for a job.
  fileprivate func isOf(permille: Int, salt: Int) -> Bool {
    // Registrations are told apart by their key, and what changes an object by its path. To look is never refused.
    guard ["PUT", "POST", "PATCH"].contains(method) else { return false }
    let subject = self[header: "Idempotency-Key"] ?? path
    let hash = "\(salt) \(subject)".utf8
      .reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return Int(hash >> 33 % 1000) < permille
  }
}
