extension Scenario {
  /// A card whose files fill the list of sent files, and another one that comes after it. Its files are taken once those of the first card
  /// have been gone for a month, and the other spool goes on meanwhile.
  package static var fullList: Scenario {
    let most = 1000
    var maker = RowMaker()
    maker.spool.keeps = true
    maker.daemon.keepFiles = most
    let slot = maker.spool.directory
    maker.otherSpools = [SpoolPlan(name: "beside", directory: "spools/beside", storage: "s", backend: "b")]
    for number in 1...most { maker.add(number, size: 64) }
    maker.add(.insertCard(directory: slot, Card(2, hasOwnDevice: true)), at: .seconds(600))
    for number in most + 1...most + 3 { maker.add(number, size: 64, at: .seconds(600)) }
    maker.add(most + 4, size: 64, at: .seconds(700)) { $0.spool = "spools/beside" }
    maker.add(.moveWallClock(by: .seconds(31 * 86_400)), at: .seconds(1000))
    maker.end = .seconds(3000)
    return maker.row("a full list").scenario
  }
}
