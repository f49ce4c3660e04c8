import HTTPTransfer
package import Jobs
package import SeededNumbers

/// All servers of a daemon, found by the host of a request.
package struct Servers: Codable, Hashable, Sendable {
  package var all: [Server]
  /// The time of the servers' clocks when virtual time is zero. They do not jump.
  package var epoch: Int64

  /// Servers whose clocks begin at a number of seconds after the Unix epoch.
  package init(_ all: [Server], epoch: Int64) {
    self.all = all
    self.epoch = epoch
  }

  package func wall(_ now: Duration) -> Timestamp { Timestamp(seconds: epoch) + now }

  /// Returns the fate of a request that is sent now. A host that is no server's cannot be resolved.
  package mutating func passage(
    of request: FarRequest, now: Duration, _ numbers: inout SplitMix64
  ) -> Passage {
    guard let index = index(of: request) else {
      return Passage(actsAt: nil, .failure(TransferTrouble(.resolve), at: now + .milliseconds(5)))
    }
    return all[index].passage(of: request, now: now, wall: wall(now), &numbers)
  }

  /// Has the server act on a request whose time has come, and returns its answer.
  package mutating func act(on request: FarRequest, now: Duration) -> FarAnswer {
    guard let index = index(of: request) else { return FarAnswer(421) }
    return all[index].act(on: request, now: now, wall: wall(now))
  }

  /// Takes note that the caller of a request hears its answer.
  package mutating func noteHeard(_ answer: FarAnswer, of request: FarRequest) {
    guard request.method == "POST", answer.status == 200, let index = index(of: request) else { return }
    all[index].storage?.noteHeard(answer)
  }

  /// Takes note that the daemon has died: of what it heard last, it may know nothing any more.
  package mutating func noteDeath() { for index in all.indices { all[index].storage?.noteDeath() } }

  package func index(of request: FarRequest) -> Int? { all.firstIndex { $0.host == request.host } }

  /// Has the server at a host accept one key or token, and no other.
  package mutating func setKey(_ key: String, at host: String) {
    guard let index = all.firstIndex(where: { $0.host == host }) else { return }
    all[index].storage?.options.accessKeys = [key]
    all[index].backend?.tokens = [key]
  }

  package func storage(bucket: String) -> ModelStorage? {
    all.lazy.compactMap(\.storage).first { $0.options.bucket == bucket }
  }
}
