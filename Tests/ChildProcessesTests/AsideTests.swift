import ChildProcesses
import Foundation
import Testing

@Suite(.bounded, .aside) struct AsideTests {
  /// More of them at once than the pool has threads wait for it, as no test may that is not aside.
  @Test(arguments: 1...8) func blockedTestLeavesPoolFree(number: Int) {
    let answer = DispatchSemaphore(value: 0)
    Task.detached { answer.signal() }
    #expect(answer.wait(timeout: .now() + .seconds(60 * Hunt.factor)) == .success)
  }
}
