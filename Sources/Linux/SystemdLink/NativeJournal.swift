import CSystemd
import Glibc

/// Sends entries to journald by its own protocol, with `sd_journal_sendv`. It blocks while journald does not read.
@safe struct NativeJournal: ~Copyable {
  /// `SYSLOG_IDENTIFIER=NAME`, allocated once, because each entry points to it.
  private let identifier: UnsafeMutableBufferPointer<UInt8>
  private var vectors: [iovec] = unsafe []

  init(identifier: String) {
    let field = Array("\(JournalFieldName.identifier.text)=\(identifier)".utf8)
    unsafe self.identifier = .allocate(capacity: field.count)
    _ = unsafe self.identifier.initialize(from: field)
  }

  deinit { unsafe identifier.deallocate() }

  /// Sends one entry; returns 0, or the errno.
  mutating func send(_ entry: borrowing JournalEntry) -> Int32 {
    unsafe vectors.removeAll(keepingCapacity: true)
    unsafe vectors.append(iovec(iov_base: identifier.baseAddress, iov_len: identifier.count))
    let ends = entry.ends
    let result = unsafe entry.bytes.withUnsafeBytes { bytes -> Int32 in
      guard let base = bytes.baseAddress else { return 0 }
      var start = 0
      for end in ends {
        // libsystemd only reads what the vectors point to; iovec has no const form.
        let field = unsafe UnsafeMutableRawPointer(mutating: base + start)
        unsafe vectors.append(iovec(iov_base: field, iov_len: Int(end) - start))
        start = Int(end)
      }
      return unsafe vectors.withUnsafeBufferPointer { unsafe sd_journal_sendv($0.baseAddress, Int32($0.count)) }
    }
    return result < 0 ? -result : 0
  }
}
