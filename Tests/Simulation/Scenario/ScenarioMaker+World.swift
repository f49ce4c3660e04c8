import Linux
import Seams

extension ScenarioMaker {
  mutating func people() -> [Moment] {
    var moments: [Moment] = []
    func add(_ count: Int, _ action: Action) { for _ in 0..<count { moments.append(Moment(at: time(), action)) } }
    if has(.answers) {
      for _ in 0..<int(1...12) { add(1, .command(numbers.pick([.confirm, .retry]), .any(int(0...99)))) }
      if numbers.isOne(in: 300) { add(int(1...3), .commandAll(numbers.pick([.confirm, .retry]))) }
    }
    if has(.cancels) {
      for _ in 0..<int(1...6) { add(1, .command(numbers.pick([.cancel, .cancelAndRemove]), .any(int(0...99)))) }
    }
    if has(.discards) {
      for _ in 0..<int(1...4) { add(1, .command(numbers.pick([.discard, .release]), .any(int(0...99)))) }
    }
    if has(.pauses) {
      for _ in 0..<int(1...4) {
        let target: Action.PauseTarget = numbers.pick([.all, .intake, .spool("in-0"), .storage("s0"), .backend("b0")])
        let at = time()
        moments.append(Moment(at: at, .pause(target)))
        if numbers.isOne(in: 800) { moments.append(Moment(at: at + span(), .resume(target))) }
      }
    }
    return moments
  }

  mutating func machine(_ plan: ConfigurationPlan, _ servers: Servers) -> [Moment] {
    var moments: [Moment] = []
    if has(.reloads) {
      for _ in 0..<int(1...4) {
        let isBack = numbers.isOne(in: 400)
        moments.append(Moment(at: time(), .configure(isBack ? plan : changed(plan))))
      }
    }
    if has(.restarts) { for _ in 0..<int(1...2) { moments.append(Moment(at: time(), .restart)) } }
    if has(.networkChanges) { for _ in 0..<int(1...6) { moments.append(Moment(at: time(), .changeNetwork)) } }
    if has(.clockJumps) {
      for _ in 0..<int(1...4) {
        let seconds = numbers.pick([1, 30, 600, 3600, 86_400, 30 * 86_400])
        moments.append(Moment(at: time(), .moveWallClock(by: .seconds(numbers.isOne(in: 500) ? seconds : -seconds))))
      }
    }
    if has(.lostSpools) {
      let spool = numbers.pick(plan.spools).directory
      let at = time()
      moments.append(Moment(at: at, .moveSpool(directory: spool, isAway: true)))
      moments.append(Moment(at: at + span(), .moveSpool(directory: spool, isAway: false)))
    }
    if has(.fullDisks) {
      let at = time()
      moments += [Moment(at: at, .fillDisk(true)), Moment(at: at + span(), .fillDisk(false))]
    }
    if has(.changedKeys) {
      for number in 2...int(2...3) {
        let host = numbers.pick(servers.all).host
        let key = "key-\(number)-of-\(host)"
        let at = time(upTo: 800)
        // Sometimes the file is changed first.
        let late = span(upTo: 100)
        let isEarly = numbers.isOne(in: 300)
        moments.append(Moment(at: at + (isEarly ? late : .zero), .changeKeyAtServer(host: host, to: key)))
        moments.append(Moment(at: at + (isEarly ? .zero : late), .changeKeyFile(host: host, to: key)))
      }
    }
    return moments
  }

  mutating func crashes() -> [Crash] {
    guard has(.crashes) else { return [] }
    return (0..<int(1...5)).map { _ in
      let point = numbers.pick(Self.failpoints)
      let pass = numbers.pick([1, 1, 1, 2, 3, int(1...30)])
      let time = span(upTo: 500)
      let moment: Crash.Moment =
        numbers.isOne(in: 800) ? .failpoint(point.rawValue, pass: pass) : .after(time)
      return Crash(moment, pause: span(upTo: 100))
    }
  }

  static let failpoints = Failpoint.ofDaemon
}
