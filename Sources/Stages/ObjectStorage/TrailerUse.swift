import HTTPTransfer
import Jobs
import Synchronization

/// Remembers whether a storage takes checksums behind the bytes.
///
/// A storage that does not know this form may refuse it, which does no harm: the request is sent again with its checksum in a
/// header. Ceph 16 answers 400 XAmzContentSHA256Mismatch, OpenStack Swift 501 NotImplemented. Or the storage may keep the frame
/// as part of the object. So an answer counts only if it shows the very checksum that was behind the bytes: a storage that shows
/// it has found the end of the bytes. Any other answer is no proof. What was sent is sent again in the old way, and no more
/// trailers are sent until the next start or reload.
final class TrailerUse: Sendable {
  /// True if requests carried them at first. Then an object that an earlier attempt has left may be in its frame.
  let wereOn: Bool
  private let isUsed: Atomic<Bool>
  private let proven = Atomic<Bool>(false)
  private let notice: @Sendable (String) -> Void

  /// - Parameter notice: called once if the storage does not take them.
  init(isOn: Bool, notice: @escaping @Sendable (String) -> Void) {
    wereOn = isOn
    isUsed = Atomic(isOn)
    self.notice = notice
  }

  /// True if requests may carry them.
  var isOn: Bool { isUsed.load(ordering: .acquiring) }

  /// True if the storage has shown a checksum that was behind the bytes.
  var isProven: Bool { proven.load(ordering: .acquiring) }

  /// The storage has shown one.
  func prove() { proven.store(true, ordering: .releasing) }

  /// Sends none any more. The reason is a predicate of the storage.
  func giveUp(_ reason: String, storage: String) {
    guard isUsed.exchange(false, ordering: .acquiringAndReleasing) else { return }
    notice(
      "storage.\(storage) \(reason): until the next start or reload, large files are read once for their checksum and "
        + "once more to be sent; checksum_trailer = \"off\" is the setting for this")
  }
}

extension S3Bucket {
  /// The outcome of a request with its checksum behind the bytes.
  enum Trailed {
    /// The storage shows the checksum of these bytes.
    case stored(HTTPResponse, Sums)
    /// It is to be sent again with its checksum in a header. The reason is a predicate of the storage, if no other request is to
    /// carry its checksum behind the bytes either. What was sent may have been stored.
    case toBeSentAgain(reason: String?, mayBeStored: Bool)
  }

  /// Sends an object or a part whose body is framed, and believes only an answer that shows the checksum.
  ///
  /// Throws the errors of sending, but for a refusal or a doubt that the form of the request may have caused.
  func send(_ exchange: Exchange, framed frame: SummedFrame) async throws -> Trailed {
    let outcome: Trailed
    do {
      let response = try await send(exchange)
      if let sums = frame.sums, let ours = sums.base64, response.headers[first: options.checksum.header] == ours {
        trailers.prove()
        return .stored(response, sums)
      }
      let reason = "does not show in its answer a checksum that was sent behind the bytes"
      trailers.giveUp(reason, storage: options.name)
      outcome = .toBeSentAgain(reason: reason, mayBeStored: true)
    } catch let refusal as S3Refusal where refusal.doubt != nil {
      let reason = "answers a checksum behind the bytes differently from S3 (\(refusal.failure.words))"
      outcome = .toBeSentAgain(reason: trailers.isProven ? nil : reason, mayBeStored: true)
    } catch let refusal as S3Refusal where refusal.mayBeOfTrailer && !(trailers.isProven && refusal.isHashRefused) {
      let reason = "does not take a checksum behind the bytes (\(refusal.failure.words))"
      outcome = .toBeSentAgain(reason: reason, mayBeStored: false)
    }
    exchange.sent?.add(-frame.count)
    return outcome
  }
}

extension S3Refusal {
  /// True if the storage may have refused nothing but the form of a framed body.
  fileprivate var mayBeOfTrailer: Bool {
    if namesCondition { return false }
    return switch answer.status {
    case 400: failure.kind != .credentials
    case 403: isOfSignature
    case 411, 415, 501: true
    default: false
    }
  }
}
