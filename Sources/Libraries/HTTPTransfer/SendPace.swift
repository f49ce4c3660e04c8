/// Limits the bytes that all transfers together send in a second.
///
/// Bytes come in as time passes and are kept for a tenth of a second at most. What is sent at once may be more than there
/// is; then all wait until it is made up for. A value without a clock.
struct SendPace {
  /// Bytes a second.
  let rate: Int64
  /// Thousandths of a byte that may be sent now; less than none where more was sent than there was.
  private var balance: Int64
  /// When that was so, in milliseconds.
  private var time: Int64

  /// - Parameter now: in milliseconds on a steady clock.
  init(rate: Int64, now: Int64) {
    self.rate = max(1, rate)
    time = now
    balance = 0
    balance = most
  }

  /// The most bytes that a transfer is given in its turn: a sixteenth of a second's, so that many get theirs in time.
  var portion: Int { Int(min(max(rate / 16, 1 << 10), 256 << 10)) }

  private var most: Int64 { rate * 100 }

  /// Takes note of the time, and says whether anything may be sent.
  mutating func maySend(now: Int64) -> Bool {
    // a second fills it in any case, and keeps the product from growing beyond its type
    let passed = min(max(0, now - time), balance < 0 ? .max / rate / 2 : 1000)
    balance = min(most, balance + rate * passed)
    time = max(time, now)
    return balance > 0
  }

  /// Takes note of bytes that are sent.
  mutating func spend(_ bytes: Int) { balance -= Int64(bytes) * 1000 }

  /// Gives back what was taken and not sent.
  mutating func refund(_ bytes: Int) { balance = min(most, balance + Int64(bytes) * 1000) }

  /// When something may be sent again.
  var next: Int64 { balance > 0 ? time : time + (-balance / rate) + 1 }
}
