import Glibc
import Linux
import Testing

@Suite struct LockTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func secondHolderIsRefusedWithPidUntilFirstEnds() throws {
    for _ in 1...2 {
      let first = try FileLock(in: scratch.directory, bytes("lock"))
      #expect(throws: FileLock.Refusal.held(by: getpid())) { try FileLock(in: scratch.directory, bytes("lock")) }
      withExtendedLifetime(first) {}
    }
  }

  @Test func lockFileLinkIsNotFollowed() throws {
    #expect(unsafe symlink("/tmp/elsewhere", scratch.path + "/lock") == 0)
    let refusal = #expect(throws: FileLock.Refusal.self) { try FileLock(in: scratch.directory, bytes("lock")) }
    guard case .failed(let error) = refusal else {
      Issue.record("the lock was held by somebody")
      return
    }
    #expect(error.errno == ELOOP)
  }
}
