import Simulation

/// A ledger that is lost after all answers of the storage were: the file's claim is there, and what was stored of it. Its dropper writes
/// over the file before the daemon looks, or leaves it.
enum LostClaim {
  static var scenarios: [NamedScenario] {
    ["sha256", "crc32c", "none"].flatMap { checksum in
      [true, false].map { isChanged in
        let name = "a lost ledger, and a claim with \(checksum)"
        return NamedScenario(name: name + (isChanged ? " that changes" : ""), scenario(checksum, isChanged))
      }
    }
  }

  private static func scenario(_ checksum: String, _ isChanged: Bool) -> Scenario {
    var plan = ConfigurationPlan.one(0)
    plan.storages[0].checksum = checksum
    let lost = Spell(.loses(beforePermille: 0, afterPermille: 1000), from: .zero, until: .seconds(60))
    let drop = Drop(
      number: 1, spool: plan.spools[0].directory, name: "file-1.bin", manner: .linked, size: 1000)
    var timeline = [Moment(at: .seconds(5), .drop(drop)), Moment(at: .seconds(40), .loseLedger)]
    if isChanged { timeline.append(Moment(at: .milliseconds(40_001), .rewrite(file: 1))) }
    return plan.scenario([Trouble(spells: [lost]), Trouble()], timeline, end: .seconds(300))
  }
}
