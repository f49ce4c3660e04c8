import Foundation

/// Runs a body with another length of the queues of inotify instances that are made meanwhile.
func withQueueLength(_ length: Int, _ body: () async throws -> Void) async throws {
  let file = "/proc/sys/fs/inotify/max_queued_events"
  let before = try String(contentsOfFile: file, encoding: .utf8)
  try String(length).write(toFile: file, atomically: false, encoding: .utf8)
  do {
    try await body()
  } catch {
    try before.write(toFile: file, atomically: false, encoding: .utf8)
    throw error
  }
  try before.write(toFile: file, atomically: false, encoding: .utf8)
}
