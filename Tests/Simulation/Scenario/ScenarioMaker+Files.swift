extension ScenarioMaker {
  mutating func drops(for plan: ConfigurationPlan) -> [Moment] {
    var count = has(.manyFiles) ? int(100...600) : numbers.pick([int(1...4), int(1...12), int(1...40)])
    // Sometimes there is nothing but large files.
    let largePermille = has(.parts) ? numbers.pick([1000, 150, 150, 150]) : 0
    if largePermille == 1000 { count = int(1...8) } else if largePermille > 0 { count = min(count, 40) }
    // Many files come at once as often as one by one.
    let comesAtOnce = numbers.isOne(in: 500)
    let first = time(upTo: 200)
    return (1...count).map { number in
      let at = comesAtOnce ? first + .milliseconds(int(0...500)) : time(upTo: 850)
      return Moment(at: at, .drop(drop(number, into: numbers.pick(plan.spools), largePermille: largePermille)))
    }
  }

  private mutating func drop(_ number: Int, into spool: SpoolPlan, largePermille: Int) -> Drop {
    var drop = Drop(
      number: number, spool: spool.directory, name: "file-\(number).bin", manner: manner(), size: int(64...4000))
    if has(.emptyFiles), numbers.isOne(in: 150) { drop.size = 0 }
    if numbers.isOne(in: largePermille) { drop.size = (5 << 20) + int(0...(7 << 20)) }
    switch spool.kind {
    case .plain: break
    case .sidecar where numbers.isOne(in: 800): drop.kind = .withSidecar(sidecarFirst: numbers.isOne(in: 500))
    case .sidecar: break
    case .group:
      drop.kind = .group(files: int(1...5))
      drop.name = "run-\(number)"
    case .recursive: drop.folder = numbers.pick(["", "a/", "a/b/", "c/"])
    }
    return drop
  }

  private mutating func manner() -> Drop.Manner {
    switch int(0...7) {
    case 0, 1, 2: .direct
    case 3 where has(.keptNames), 4 where has(.keptNames): .linked
    case 5 where has(.slowWriters), 6 where has(.slowWriters): .inPieces(count: int(2...5), pause: span(upTo: 50))
    default: .renamedIn
    }
  }

  /// What droppers do to their files later. Only files of their own and of one name are changed.
  mutating func changes(of drops: [Moment]) -> [Moment] {
    var moments: [Moment] = []
    for moment in drops {
      guard case .drop(let drop) = moment.action, drop.kind == .single, drop.size > 0 else { continue }
      func later(_ action: Action) -> Moment { Moment(at: moment.at + span(upTo: 100), action) }
      if has(.appending), numbers.isOne(in: 200) {
        moments.append(later(.append(file: drop.number, size: int(64...900))))
      }
      if has(.replacing), drop.manner != .linked, numbers.isOne(in: 200) {
        moments.append(later(.replace(file: drop.number, size: int(64...900))))
      }
      if has(.touching), numbers.isOne(in: 200) { moments.append(later(.touch(file: drop.number))) }
      if has(.modes), numbers.isOne(in: 200) { moments.append(later(.changeMode(file: drop.number))) }
    }
    return moments
  }
}
