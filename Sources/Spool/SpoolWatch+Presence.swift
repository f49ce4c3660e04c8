import LinuxFiles

extension SpoolWatch {
  /// Begins to watch; the first scan follows, so that nothing falls between the two.
  func begin() {
    watch()
    do throws(FileError) {
      if let warning = try spool.held().warning(options) { problems.tell(warning) }
    } catch {
      problems.tell(
        SpoolProblem(options, .scan, error.words, remedy: "see that \(options.path) can be read", errno: error.errno))
    }
    nextScan = .now
    intake.watching()
  }

  /// Sets the watch, unless the spool is to be polled. Without one it goes on by polling.
  func watch() {
    stopWatching()
    do throws(FileError) {
      let directory = try spool.held().spool
      switch options.watch {
      case .poll: return
      case .auto: if try directory.fileSystem().isRemote { return }
      case .inotify: break
      }
      let inotify = try Inotify(path: options.path)
      _ = try inotify.watch(directory)
      self.inotify = inotify
      listen()
    } catch {
      problems.tell(
        SpoolProblem(
          options, .watch, "\(error.words); it is polled every \(options.poll) instead",
          remedy: "raise fs.inotify.max_user_watches and fs.inotify.max_user_instances", errno: error.errno))
    }
  }

  func stopWatching() {
    thread.poll(nil)
    inotify = nil
  }

  /// Whether path and `.waybill` still lead to what is held.
  func isStillThere() -> Bool {
    guard let held = spool.present else { return false }
    do throws(FileError) {
      let there = try Directory(path: options.path).facts()
      guard there.isSameFile(as: try held.spool.facts()) else { return false }
      return try held.spool.facts(of: HeldSpool.claimsName).isSameFile(as: try held.claims.facts())
    } catch {
      return false
    }
  }

  /// Lets go of a directory that is no longer the spool, and has it looked for from now on.
  func lose() {
    stopWatching()
    scan = nil
    scanIsWanted = false
    candidates.forgetAll()
    spool.hold(nil)
    nextScan = .now + options.poll
    problems.tell(
      SpoolProblem(
        options, .lost, "\(options.path) was removed, replaced or unmounted, or its .waybill was",
        remedy: "make or mount it again; it is looked for every \(options.poll)"))
  }

  /// Opens the spool anew if it is there again; false while it is not.
  func comeBack() -> Bool {
    if spool.present != nil { lose() }
    do throws(SpoolProblem) {
      spool.hold(try HeldSpool.open(options))
    } catch {
      // That it is missing has been said.
      if error.cause != .missing { problems.tell(error) }
      nextScan = .now + options.poll
      return false
    }
    problems.forget()
    watch()
    intake.watching()
    return true
  }
}
