import Linux

/// A file beside the ledger that only takes up space. It is given up when the disk is full to the last byte: so the ledger can record
/// registered jobs, whose files are then removed and make room. It is made again when there is space.
extension LedgerFiles {
  static let reserve = "ledger.reserve"
  /// Its size in bytes; less on a small disk.
  static let reserveSizes: ClosedRange<Int64> = 256 << 10...4 << 20
  /// The share of the free space that it takes at most: one of so many parts.
  private static let share: Int64 = 8

  /// Makes the reserve, unless it is there or there is too little space.
  ///
  /// - Returns: true if it is there now.
  func makeReserve() -> Bool {
    let name = Array(Self.reserve.utf8)
    do throws(FileError) {
      if let size = try size(Self.reserve) {
        if size > 0 { return true }
        try remove(Self.reserve)  // a crash came before its space was allocated
      }
      let size = min(try directory.fileSystem().availableBytes / Self.share, Self.reserveSizes.upperBound)
      guard size >= Self.reserveSizes.lowerBound else { return false }
      try directory.create(name, permissions: 0o600).allocate(size, path: "\(directory.path)/\(Self.reserve)")
      return true
    } catch {
      _ = giveUpReserve()
      return false
    }
  }

  /// Gives the reserve up, and returns the bytes that are free by that; 0 if there is none.
  func giveUpReserve() -> Int64 {
    do throws(FileError) {
      guard let size = try size(Self.reserve) else { return 0 }
      try remove(Self.reserve)
      return size
    } catch {
      return 0  // the disk is as full as before, and that was reported
    }
  }
}
