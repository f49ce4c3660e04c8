import Jobs
import Linux

/// The state that one run of a spool leaves at its end for the next run with other options.
struct Remains: Sendable {
  let candidates: Candidates
  /// The inotify instance, which collects events between the runs.
  let inotify: Inotify?
  let tree: WatchTree
  let scans: Int
  let newFolders: NewFolders
  let isRemote: Bool
  let isPartlyWatched: Bool
  let scanIsLate: Bool
  /// The options of the run that has ended.
  let options: SpoolOptions
}
