/// Limits the bytes per second that all transfers together send.
///
/// The balance grows with time, up to the bytes of a tenth of a second. A transfer may send more than the balance; then all wait
/// until it is positive again. It reads no clock.
struct SendPace {
  /// Bytes per second.
  let rate: Int64
  /// The balance, in thousandths of a byte; negative if more was sent than the time allowed.
  private var balance: Int64
  /// The time of the balance, in milliseconds.
  private var time: Int64

  /// - Parameter now: the time in milliseconds on a steady clock.
  init(rate: Int64, now: Int64) {
    self.rate = max(1, rate)
    time = now
    balance = 0
    balance = most
  }

  /// The maximum number of bytes for one turn of a transfer: those of a sixteenth of a second, so that many get their turn in time.
  var portion: Int { Int(min(max(rate / 16, 1 << 10), 256 << 10)) }

  private var most: Int64 { rate * 100 }

  /// Updates the balance to this time, and returns true if anything may be sent.
  mutating func advance(now: Int64) -> Bool {
    // One second fills any balance that is not negative. The limits prevent an overflow of the product.
    let passed = min(max(0, now - time), balance < 0 ? .max / rate / 2 : 1000)
    balance = min(most, balance + rate * passed)
    time = max(time, now)
    return balance > 0
  }

  /// Subtracts bytes that are sent.
  mutating func spend(_ bytes: Int) { balance -= Int64(bytes) * 1000 }

  /// Adds bytes back that were subtracted but not sent.
  mutating func refund(_ bytes: Int) { balance = min(most, balance + Int64(bytes) * 1000) }

  /// The time when something may be sent again.
  var next: Int64 { balance > 0 ? time : time + (-balance / rate) + 1 }
}
