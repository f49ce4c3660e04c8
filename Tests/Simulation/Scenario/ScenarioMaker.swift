import SeededNumbers

struct ScenarioMaker {
  let seed: UInt64
  let features: [Feature]
  let end: Duration
  var numbers: SplitMix64

  /// The wall clock at virtual time zero: an ordinary afternoon.
  static let epoch: Int64 = 1_795_000_000

  init(seed: UInt64, features: [Feature]? = nil) {
    self.seed = seed
    numbers = SplitMix64(seed: seed)
    let drawn = Feature.draw(&numbers)
    self.features = features ?? drawn
    end = numbers.pick([.seconds(90), .seconds(600), .seconds(3600), .seconds(4 * 3600)])
  }

  mutating func scenario() -> Scenario {
    let configuration = configuration()
    let servers = servers(for: configuration)
    var timeline = drops(for: configuration)
    timeline += changes(of: timeline)
    timeline += people()
    timeline += machine(configuration, servers)
    return Scenario(
      seed: seed, epoch: Self.epoch, features: features, configuration: configuration, servers: servers,
      timeline: timeline.inOrder, crashes: crashes(), troubleEnd: end)
  }

  func has(_ feature: Feature) -> Bool { features.contains(feature) }

  mutating func int(_ range: ClosedRange<Int>) -> Int { range.lowerBound + numbers.index(below: range.count) }

  /// A time before the trouble's end, in whole milliseconds.
  mutating func time(upTo share: Int = 1000) -> Duration {
    let most = Int(end.components.seconds) * share
    return .milliseconds(int(0...most))
  }

  /// A span from 10 ms up to a share of the whole, in whole milliseconds. Short ones are as likely as long ones.
  mutating func span(upTo share: Int = 250) -> Duration {
    let most = max(Int(end.components.seconds) * share, 20)
    var limit = 20
    for _ in 0..<int(0...16) where limit < most { limit *= 2 }
    return .milliseconds(int(10...min(limit, most)))
  }
}
