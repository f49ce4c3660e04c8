import ArgumentParser
import CommandParts
import ControlAPI
import Glibc
import Jobs
import Linux

/// Releases a job to standard output: its file is read and written first, and only then does the job end.
///
/// Only of a regular file is it known that all bytes are there to stay. What a pipe has taken, its reader may still lose.
struct ReleaseToOutput {
  let client: ControlClient
  private let output = StandardOutput()

  init(client: ControlClient) { self.client = client }

  /// - Throws: ``CommandFailure``. Unless it says otherwise, the job is as it was.
  func run(_ arguments: [JobArgument]) async throws {
    guard !output.isTerminal else {
      throw CommandFailure(
        status: .validationFailure, words: "standard output is a terminal: add > FILE, or name a directory with --to")
    }
    // The loss of the reader is an error here, so that it can be said that the job did not end.
    signal(SIGPIPE, SIG_IGN)
    for job in try await JobFinder(client: client).references(arguments, for: .release) {
      let file = try await opened(job)
      try await copy(file, job)
      guard output.isFile else {
        Output.plainError("job \(job) is as it was; when the file has arrived: waybill discard \(job)")
        continue
      }
      try await end(job, file.revision)
    }
  }

  private func opened(_ job: JobReference) async throws -> FileFeed {
    do throws(ControlError) {
      return try await client.file(job)
    } catch .problem(let problem) where problem.status == 404 || problem.status == 409 {
      let advice = problem.conflict.flatMap { JobCommand.Name.release.advice(on: "\(job)", in: $0.state) }
      throw CommandFailure(
        status: ExitCode(1), words: "\(job): \(problem.inWords)" + (advice.map { ". \($0)" } ?? ""))
    } catch {
      throw CommandFailure(error)
    }
  }

  private func copy(_ file: FileFeed, _ job: JobReference) async throws {
    do {
      try await file.forEachPiece { try output.write($0) }
      if output.isFile { try output.sync() }
    } catch let error as ControlError {
      throw CommandFailure(
        status: CommandFailure(error).status,
        words: "the file was not read to its end, so job \(job) is as it was: \(error)")
    } catch let error as FileError {
      throw CommandFailure(
        status: ExitCode(1), words: "the file was not written to its end, so job \(job) is as it was: \(error.words)")
    }
  }

  private func end(_ job: JobReference, _ revision: Int64) async throws {
    do throws(ControlError) {
      let answer = try await client.carryOut(.release(to: Release.toCaller), on: job, revision: revision)
      Output.plainError(DisplayText.escape(answer.message))
    } catch .problem(let problem) where problem.status == 404 || problem.status == 409 {
      throw CommandFailure(
        status: ExitCode(1), words: "the whole file was written, but job \(job) was not released: \(problem.inWords)")
    } catch {
      throw CommandFailure(
        status: CommandFailure(error).status,
        words: "the whole file was written; it is not known whether job \(job) was released (waybill show \(job)): "
          + "\(error)")
    }
  }
}
