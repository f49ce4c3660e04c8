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

  /// A ledger that a disk has damaged, or an older one, while jobs ask, are stopped and come: no file is lost, and all others are held
  /// until a person lets them go on.
  static var damages: [NamedScenario] {
    LedgerLoss.allCases.map { loss in
      let plan = ConfigurationPlan.one(0)
      let refused = Spell(.refusesJobs(status: 422, permille: 1000, salt: 0), from: .zero, until: .seconds(45))
      let drops = [5, 5, 5, 25, 50].enumerated().map { plan.drop($0.offset + 1, at: .seconds($0.element)) }
      let others = [
        Moment(at: .seconds(15), .command(.cancel, .ofFile(1))), Moment(at: .seconds(20), .restart),
        Moment(at: .seconds(30), .command(.cancel, .ofFile(2))), Moment(at: .seconds(40), .loseLedger(loss)),
      ]
      let scenario = plan.scenario(
        [Trouble(), Trouble(spells: [refused])], (drops + others).sorted { $0.at < $1.at }, end: .seconds(300))
      return NamedScenario(name: "a ledger that has lost \(loss.rawValue)", scenario)
    }
  }

  private static func scenario(_ checksum: String, _ isChanged: Bool) -> Scenario {
    var plan = ConfigurationPlan.one(0)
    plan.storages[0].checksum = checksum
    let lost = Spell(.loses(beforePermille: 0, afterPermille: 1000), from: .zero, until: .seconds(60))
    let drop = Drop(
      number: 1, spool: plan.spools[0].directory, name: "file-1.bin", manner: .linked, size: 1000)
    var timeline = [Moment(at: .seconds(5), .drop(drop)), Moment(at: .seconds(40), .loseLedger(.whole))]
    if isChanged { timeline.append(Moment(at: .milliseconds(40_001), .rewrite(file: 1))) }
    return plan.scenario([Trouble(spells: [lost]), Trouble()], timeline, end: .seconds(300))
  }
}
