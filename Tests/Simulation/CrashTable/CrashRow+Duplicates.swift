extension CrashRow {
  /// Files with the bytes of an earlier one.
  static let duplicates: [CrashRow] = [
    row("duplicates skipped") { addTwins(&$0, .skip) },
    row("duplicates asked about") {
      addTwins(&$0, .ask)
      $0.add(5, at: .seconds(32), wish: .cancelled) { $0.sameAs = 1 }
    },
    // The object of the first ones is removed at the storage. So the next file stores one, which the one after it has too.
    row("duplicates linked") {
      addTwins(&$0, .link)
      $0.add(7)
      $0.add(8) { $0.sameAs = 7 }
      $0.add(.removeObject(file: 1), at: .seconds(45))
      for number in 5...6 { $0.add(number, at: .seconds(30 + 20 * (number - 4))) { $0.sameAs = 1 } }
      $0.end = .seconds(90)
    },
    // A stopped file was not registered, and one with the same bytes is no duplicate of it.
    row("duplicates of a stopped file") {
      $0.spool.duplicates = .skip
      $0.backendTrouble.spells = [.refusal(until: .seconds(40))]
      $0.add(1, wish: .cancelled)
      $0.add(2, wish: .discarded)
      for file in 1...2 {
        $0.add(.command(.cancel, .ofFile(file)), at: .seconds(8))
        $0.add(file + 2, at: .seconds(45)) { $0.sameAs = file }
      }
      $0.add(.command(.discard, .ofFile(2)), at: .seconds(10))
      $0.end = .seconds(60)
    },
  ]

  /// Two equal files, at the same time unless they are to have one object, and two more that come when they are registered, before and after a restart.
  private static func addTwins(_ maker: inout RowMaker, _ duplicates: SpoolPlan.Duplicates) {
    maker.spool.duplicates = duplicates
    maker.add(1)
    maker.add(2, at: duplicates == .link ? .seconds(16) : RowMaker.drop) { $0.sameAs = 1 }
    maker.add(3, at: .seconds(20)) { $0.sameAs = 1 }
    maker.add(.restart, at: .seconds(25))
    maker.add(4, at: .seconds(30)) { $0.sameAs = 1 }
    maker.end = .seconds(40)
  }
}
