import ArgumentParser
import CommandParts
import ControlAPI
import Jobs
import Messages

/// An answer to a group of jobs, which is for the group as it was shown.
extension JobCommand {
  /// Returns the jobs of a group that the command means, and asks about them where nobody has seen them yet.
  ///
  /// A digest shows that the caller has seen the group. Without one the command asks, however few jobs there are.
  ///
  /// - Throws: ``CommandFailure``, with status 1 after a no or without such a group, and 64 without a terminal.
  func shown(
    _ filter: JobFilter, _ options: SelectionOptions, over client: ControlClient
  ) async throws -> JobSelection {
    let digest = options.digest.flatMap { GroupDigest($0) }
    let groups = try await calling { () async throws(ControlError) in try await client.groups(filter) }.groups
    guard let group = groups.first, let shown = digest ?? group.digest else {
      let number = filter.like.map { " \($0)" } ?? ""
      throw CommandFailure(status: ExitCode(1), words: "no such job is in group\(number)")
    }
    var selection = JobSelection.group(filter, shown)
    var count = group.count
    if case .release = self {
      // Files are given back one by one, each by the revision that is shown here.
      guard digest == nil || digest == group.digest else {
        throw CommandFailure(ControlError.problem(.changed(filter.like ?? JobNumber(rawValue: 0), to: group)))
      }
      let jobs = try await seen(filter, in: group, over: client)
      (selection, count) = (.seen(jobs), jobs.count)
    }
    // Nobody is asked about a job to which the command does not apply: the daemon says so.
    guard !options.caution.yes, name.fittingStates.contains(group.state), digest == nil || count >= least else {
      return selection
    }
    let reason = group.reason.text.isEmpty ? "" : " (\(DisplayText.escape(group.reason.text)))"
    try ask(count, filter.words + (filter.like.map { " of group \($0)\(reason)" } ?? ""), isGroup: digest == nil)
    return selection
  }

  /// Returns the jobs of a group as they are now.
  private func seen(
    _ filter: JobFilter, in group: ReasonGroup, over client: ControlClient
  ) async throws -> [SeenJob] {
    guard name.fittingStates.contains(group.state) else { return [] }
    let jobs = try await client.all(filter)
    let key = jobs.first.map { ReasonKey(of: $0) }
    // Between two pages the group may have changed.
    return jobs.filter { ReasonKey(of: $0) == key && $0.state == group.state }
      .map { SeenJob($0.reference, revision: $0.revision) }
  }
}
