import Jobs
import LinuxFiles

extension SpoolWatch {
  /// Reads on in the scan that is under way, or begins one if it is time, until so many names are ready or the slice is
  /// read. Memory stays the same however many files there are: what is ready is claimed before more is read.
  func advanceScan(until enough: Int) {
    if scan == nil, scanIsWanted || nextScan <= .now { beginScan() }
    guard let scan else { return }
    do throws(FileError) {
      let held = try spool.held()
      for _ in 0..<Self.scanSlice where candidates.readyCount < enough {
        guard let entry = try scan.next() else {
          endScan()
          return
        }
        consider(entry, held)
      }
    } catch {
      problems.tell(
        SpoolProblem(
          options, .scan, error.words, remedy: "see that user \(ProcessRights.user) may read \(options.path)",
          errno: error.errno))
      endScan()
    }
  }

  private func consider(_ entry: DirectoryListing.Entry, _ held: HeldSpool) {
    guard entry.kind == nil || entry.kind == .regular, isWanted(entry.name) else { return }
    let name = FileName(bytes: entry.name)
    guard candidates.wants(name), let facts = look(name) else { return }
    let age = Duration.nanoseconds(spool.wallClock().microseconds * 1000 - facts.changed)
    candidates.found(name, facts, age: age, now: .now, writers: writers)
  }

  private func beginScan() {
    scanIsWanted = false
    problems.beginScan()
    guard isStillThere() || comeBack() else { return }
    if inotify == nil { watch() }
    nextScan = .now + interval
    do throws(FileError) {
      scan = try spool.held().spool.listing()
    } catch {
      problems.tell(
        SpoolProblem(
          options, .scan, error.words, remedy: "see that user \(ProcessRights.user) may read \(options.path)",
          errno: error.errno))
    }
  }

  private func endScan() {
    scan = nil
    problems.endScan()
    mentionSettling()
    let now = spool.wallClock()
    spool.setStatus { $0.lastScan = now }
  }

  /// Files that take long are no problem of theirs; but somebody may wait for one.
  private func mentionSettling() {
    guard let (name, count) = candidates.settling(for: patience, now: .now) else { return }
    let others = count == 1 ? "" : " and \(count - 1) more"
    intake.problem(
      SpoolProblem(
        options, .settling, "\(name.shown)\(others) changes, or is open for writing, for over an hour",
        remedy: "it is taken when that is over; fuser -v names the programs that have it open"))
  }

  /// The time between scans.
  private var interval: Duration { inotify == nil ? options.poll : options.rescan }
}
