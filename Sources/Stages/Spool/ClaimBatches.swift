public import Linux
import Synchronization

/// The claimed files in a spool, one batch at a time. Any thread may read the next batch.
public final class ClaimBatches: Sendable {
  /// Nil after the last claim was read: the listing keeps the spool's lock open, and a finished object must not.
  private let listing: Mutex<ClaimListing?>

  private let notRead = Mutex<[SetAside]>([])

  init(_ held: LockedSpool, marker: String?) throws(FileError) {
    listing = Mutex(try ClaimListing(held, marker: marker))
  }

  /// The files that could not be read; complete once all others were read. They are tried again while the spool runs.
  public var setAside: [SetAside] { notRead.withLock { $0 } }

  /// Returns the next claims, at most `count`; empty at the end.
  ///
  /// - Throws: `FileError` if the directory cannot be read.
  public func next(upTo count: Int) throws(FileError) -> [Claim] {
    try listing.withLock { listing throws(FileError) in
      var claims: [Claim] = []
      while claims.count < count, let claim = try listing?.next() { claims.append(claim) }
      if claims.isEmpty {
        if let setAside = listing?.setAside { notRead.withLock { $0 = setAside } }
        listing = nil
      }
      return claims
    }
  }
}
