import CommandParts
import ControlAPI
import Jobs
import Messages

extension StatusMessage.Transfer {
  /// The share of the file that was sent, 0 … 1.
  var share: Double { size > 0 ? min(1, max(0, Double(sent) / Double(size))) : 1 }
}

/// The progress of a large upload in words.
enum TransferWords {
  /// `45 % of 7.0 GiB, 12.0 MiB/s, 5min left`
  static func progress(_ transfer: StatusMessage.Transfer, now: Timestamp) -> String {
    var words = "\(Int(transfer.share * 100)) % of \(Words.bytes(transfer.size))"
    let seconds = (now - transfer.since.timestamp).wholeSeconds
    guard seconds > 0, transfer.sent > 0 else { return words }
    let pace = transfer.sent / seconds
    words += ", \(Words.bytes(pace))/s"
    if pace > 0 { words += ", \(Words.age(.seconds(max(0, transfer.size -| transfer.sent) / pace))) left" }
    return words
  }
}
