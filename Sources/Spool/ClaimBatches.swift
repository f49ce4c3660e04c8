public import LinuxFiles
import Synchronization

/// The files that stand claimed in a spool, a batch at a time. Any thread may read the next one.
public final class ClaimBatches: Sendable {
  /// Nil once all were read: it keeps the spool's lock, which whoever still knows of this must not.
  private let listing: Mutex<ClaimListing?>

  init(_ held: HeldSpool) throws(FileError) { listing = Mutex(try ClaimListing(held)) }

  /// The next claims, at most so many; empty at the end.
  ///
  /// Throws `FileError` where the directory cannot be read.
  public func next(upTo count: Int) throws(FileError) -> [Claim] {
    try listing.withLock { listing throws(FileError) in
      var claims: [Claim] = []
      while claims.count < count, let claim = try listing?.next() { claims.append(claim) }
      if claims.isEmpty { listing = nil }
      return claims
    }
  }
}
