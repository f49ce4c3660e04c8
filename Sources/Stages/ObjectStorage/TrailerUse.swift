import HTTPTransfer
import Jobs
import Settings
import Synchronization

/// Records whether a storage accepts checksums in trailers.
///
/// A storage that does not know this form may refuse it, which does no harm: the request is sent again with its checksum in a
/// header. Ceph 16 answers 400 XAmzContentSHA256Mismatch, OpenStack Swift 501 NotImplemented. But another storage may keep the
/// frame as part of the object. So an answer counts only if it shows the very checksum that was in the trailer: then the storage
/// has found the end of the bytes. Any other answer proves nothing: the bytes are sent again with the checksum in a header, and
/// no trailers are sent until the next start or reload.
final class TrailerUse: Sendable {
  /// True if trailers were used at first. Then an object of an earlier attempt may contain its frame.
  let wereOn: Bool
  private let isUsed: Atomic<Bool>
  private let proven = Atomic<Bool>(false)
  private let notice: @Sendable (String) -> Void

  /// - Parameter notice: is called once if the storage does not accept trailers.
  init(isOn: Bool, notice: @escaping @Sendable (String) -> Void) {
    wereOn = isOn
    isUsed = Atomic(isOn)
    self.notice = notice
  }

  /// True if requests may have a trailer.
  var isOn: Bool { isUsed.load(ordering: .acquiring) }

  /// True if the storage has shown a checksum that was in a trailer.
  var isProven: Bool { proven.load(ordering: .acquiring) }

  /// Records that the storage has shown one.
  func prove() { proven.store(true, ordering: .releasing) }

  /// Ends the use of trailers. The reason is a predicate of the storage.
  func giveUp(_ reason: String, storage: String) {
    guard isUsed.exchange(false, ordering: .acquiringAndReleasing) else { return }
    notice(
      "storage.\(storage) \(reason): until the next start or reload, large files are read once for their checksum and "
        + "once more to be sent; checksum_trailer = \"off\" is the setting for this")
  }
}

extension S3Bucket {
  /// The result of a request with its checksum in a trailer.
  enum Trailed {
    /// It is stored: the storage shows the checksum of these bytes.
    case stored(HTTPResponse, Sums)
    /// It must be sent again with its checksum in a header. If no other request may have a trailer either, the reason is a
    /// predicate of the storage. The bytes may have been stored.
    case toBeSentAgain(reason: String?, mayBeStored: Bool)
  }

  /// Sends an object or a part in a frame. An answer counts only if it shows the checksum.
  ///
  /// - Throws: the errors of sending, except a refusal or a doubt that the trailer may have caused.
  func send(_ exchange: Exchange, framed frame: SummedFrame) async throws -> Trailed {
    let outcome: Trailed
    do {
      let response = try await send(exchange)
      if let sums = frame.sums, let ours = sums.base64, response.headers[first: settings.checksum.header] == ours {
        trailers.prove()
        return .stored(response, sums)
      }
      let reason = "does not show in its answer a checksum that was sent behind the bytes"
      trailers.giveUp(reason, storage: settings.name)
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
  /// True if the storage may have refused only the form of the framed body.
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
