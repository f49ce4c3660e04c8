package import Jobs
package import Linux
import Messages
import ObjectStorage
import Spool

/// The file of a stopped job, for a person who reads it before it is released.
extension Stages {
  /// The number of bytes that are read at a time: a dead file server holds one such call.
  private static let portion = 64 << 10
  /// The time that a file system has for one such call.
  private static let readPatience = Duration.seconds(30)

  /// Opens the file of a job.
  ///
  /// - Throws: a failure if the spool is not configured, or if the job has several files; `FileError`.
  package func openToRead(_ job: Job) async throws -> OpenFile {
    try requireOneFile(job)
    guard let directory = parts[job.ticket.spool]?.directory else {
      throw Failure(.configuration, .notConfigured(name: "spool.\(job.ticket.spool)"))
    }
    let claim = job.ticket.claim
    return try await inTime { try directory.open(claim) }
  }

  /// Returns some bytes of a job's file from an offset on; none at its end.
  ///
  /// - Throws: a failure if the file has changed since it was opened, and then no reader has got all of it; `FileError`.
  package func read(_ file: OpenFile, of job: Job, at offset: Int64) async throws -> [UInt8] {
    let name = job.ticket.name.shown
    return try await inTime {
      let left = max(0, file.openedFacts.size - offset)
      let bytes = left == 0 ? [] : try file.read(at: offset, count: Int(min(left, Int64(Self.portion))))
      if bytes.isEmpty || Int64(bytes.count) == left {
        let now = try file.facts()
        guard now.size == file.openedFacts.size, now.modified == file.openedFacts.modified else {
          throw Failure(.file, .releaseChanged(name: name))
        }
      }
      return bytes
    }
  }

  /// Throws for a job that has more than one file.
  package func requireOneFile(_ job: Job) throws(Failure) {
    guard job.ticket.parcel == .file else {
      throw Failure(.configuration, .severalFiles(name: job.ticket.name.shown))
    }
  }

  private func inTime<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    let result = await answer(within: Self.readPatience, on: machine) { [workers] () async -> Result<T, any Error> in
      do {
        return .success(try await workers.run(body))
      } catch {
        return .failure(error)
      }
    }
    guard let result else {
      throw FileError("read", path: "the spool", errno: 110, advice: "its file system does not answer")  // ETIMEDOUT
    }
    return try result.get()
  }
}
