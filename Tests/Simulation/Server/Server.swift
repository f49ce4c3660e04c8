package import Jobs
package import SeededNumbers

/// One server: a service, and the trouble on the way to it and within it.
package struct Server: Codable, Hashable, Sendable {
  package enum Service: Hashable, Sendable {
    case storage(ModelStorage)
    case backend(ModelBackend)
  }

  package var host: String
  package var trouble: Trouble
  package var storage: ModelStorage?
  package var backend: ModelBackend?
  private var busyUntil: [Duration] = []
  /// The times of the requests of the last second.
  private var recent: [Duration] = []

  package init(host: String, _ service: Service, trouble: Trouble = Trouble()) {
    self.host = host
    self.trouble = trouble
    switch service {
    case .storage(let storage): self.storage = storage
    case .backend(let backend): self.backend = backend
    }
  }

  package func busy(at now: Duration) -> Int { busyUntil.count { $0 > now } }

  package mutating func passage(
    of request: FarRequest, now: Duration, wall: Timestamp, _ numbers: inout SplitMix64
  ) -> Passage {
    busyUntil.removeAll { $0 <= now }
    recent.removeAll { $0 + .seconds(1) <= now }
    recent.append(now)
    let load = (busy: busyUntil.count, lastSecond: recent.count)
    let passage = trouble.passage(of: request, at: now, wall: wall, load: load, isStorage: storage != nil, &numbers)
    busyUntil.append(passage.heardAt ?? now + Self.patience)
    return passage
  }

  package mutating func act(on request: FarRequest, now: Duration, wall: Timestamp) -> FarAnswer {
    storage?.act(on: request, at: now, wall: wall) ?? backend?.act(on: request, at: now) ?? FarAnswer(421)
  }

  /// The time for which a request counts that is never answered: its caller's time-out.
  private static let patience = Duration.seconds(60)
}
