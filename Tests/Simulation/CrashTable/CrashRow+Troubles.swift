/// Defects that were there once, each as the scenario that shows it.
extension CrashRow {
  static let troubles: [CrashRow] = [
    // The probe of jobs that wait for the network meets a balancer whose application is not up yet.
    row("refused, then unavailable") {
      $0.backendTrouble.spells = [
        Spell(.refusesConnections, from: .zero, until: .seconds(20)),
        .only(503, from: .seconds(20), until: .seconds(35)),
      ]
      for number in 1...3 { $0.add(number) }
    },
    // A maintenance page asks for a second, for an hour.
    row("maintenance") {
      $0.backendTrouble.spells = [.only(503, until: .seconds(3600), retryAfter: .seconds(1))]
      $0.end = .seconds(3700)
      for number in 1...150 { $0.add(number) }
    },
    // After a change of the network the clock is set back, and nothing can be reached.
    row("clock set back") {
      $0.backendTrouble.spells = [Spell(.refusesConnections, from: .zero, until: .seconds(3600))]
      $0.end = .seconds(3700)
      for number in 1...3 { $0.add(number) }
      $0.add(.changeNetwork, at: .seconds(60))
      $0.add(.moveWallClock(by: .seconds(-86_400)), at: .seconds(61))
    },
    // A spool comes by a reload, and its disk cannot be read for a while.
    row("unreadable spool") {
      let first = $0.configuration
      var other = first
      other.spools.append(
        SpoolPlan(name: "other", directory: "spools/other", storage: "s", backend: "b"))
      $0.add(1)
      $0.add(.failCalls("getdents:.waybill:1=EIO+"), at: .seconds(3))
      $0.add(.configure(other), at: .seconds(4))
      $0.add(.failCalls(nil), at: .seconds(8))
      $0.add(2, at: .seconds(9)) { $0.spool = other.spools[1].directory }
      $0.end = .seconds(60)
    },
  ].map {
    var row = $0
    row.points = []
    return row
  }
}
