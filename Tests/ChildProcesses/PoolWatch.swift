import Foundation
import Synchronization
import Testing

/// Says when no thread of the pool was free for longer than an answer may take, so that a test that fell by that is understood:
/// what did it belongs aside (``AsideTrait``).
enum PoolWatch {
  private static let longest = Duration.seconds(5)

  /// Watches from now on to the end of the process.
  static let begin: Void = Thread.detachNewThread {
    while true {
      let begin = ContinuousClock.now
      let answer = DispatchSemaphore(value: 0)
      Task.detached { answer.signal() }
      answer.wait()
      let wait = ContinuousClock.now - begin
      if wait > longest { print("No thread of the pool was free for \(wait / .seconds(1)) s, until \(Date())") }
      Thread.sleep(forTimeInterval: 1)
    }
  }
}
