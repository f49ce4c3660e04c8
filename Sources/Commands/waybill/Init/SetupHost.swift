import ArgumentParser
import Credentials
import Jobs
import Linux
import Spool

/// The facts about a machine on which the steps of a setup depend, as they are before the first step.
struct SetupHost: Equatable {
  /// True if systemd is process 1.
  var hasSystemd = true
  /// True if waybill-sandbox.service is installed.
  var hasSandbox = true
  var hasKeyFolder = true
  /// The part of the unit that decides where the daemon may write; nil if none is known.
  var sandbox: UnitSandbox?
  /// The state of each directory of a spool or an archive.
  var directories: [String: DirectorySetup.State] = [:]
  /// Key files that have the wanted bytes already.
  var keptKeys: Set<String> = []

  /// A machine of which nothing is known: all that a setup may need is made, by commands that do no harm where it is there.
  static var unknown: SetupHost {
    var host = SetupHost()
    host.hasKeyFolder = false
    return host
  }

  /// Looks at this machine.
  ///
  /// - Throws: ``CommandFailure`` if something is in the way of any setup, in words that say what to do.
  static func current(_ answers: SetupAnswers, at place: SetupPlace) throws(CommandFailure) -> SetupHost {
    var host = SetupHost()
    host.hasSystemd = exists("/run/systemd/system")
    host.hasSandbox = ["/etc/systemd/system/", "/usr/lib/systemd/system/", "/lib/systemd/system/"].contains {
      exists($0 + LocalSandbox.unit)
    }
    host.hasKeyFolder = exists(place.keys)
    host.sandbox = UnitSandbox(ofConfiguration: place.configuration)
    for spool in answers.spools {
      host.directories[spool.path] = try state(of: spool.path, group: spool.group, place)
      if let archive = spool.archive { host.directories[archive] = try state(of: archive, isArchive: true, place) }
    }
    for person in answers.people where ProcessRights.user(named: person) == nil {
      throw CommandFailure(status: .failure, words: "there is no user \(DisplayText.escape(person))")
    }
    for key in SetupPlan.keyFiles(answers, at: place) {
      guard exists(key.path) else { continue }
      guard secret(in: key.path) == key.secret else {
        throw CommandFailure(
          status: .failure,
          words:
            "\(key.path) is there with other bytes, and stays. To use it, name it (--keys, --backend-token-file); else: rm "
            + DirectoryRecipe.quoted(key.path))
      }
      host.keptKeys.insert(key.path)
    }
    return host
  }

  /// Throws unless the daemon's user is there, and files can be made beside the configuration.
  static func requireWritable(_ place: SetupPlace) throws(CommandFailure) {
    guard ProcessRights.user(named: place.user) != nil else {
      throw CommandFailure(
        status: .failure, words: "there is no user \(place.user) yet: run systemd-sysusers, or install the package")
    }
    let folder = place.folder
    let nearest = exists(folder) ? folder : String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)])
    do throws(FileError) {
      try Directory(path: nearest.isEmpty ? "/" : nearest).requireReadAndWrite()
    } catch {
      throw CommandFailure(status: .failure, words: "\(error.words): the configuration and the keys are written there")
    }
  }

  /// Returns the state of a directory.
  private static func state(
    of path: String, group: String? = nil, isArchive: Bool = false, _ place: SetupPlace
  ) throws(CommandFailure) -> DirectorySetup.State {
    guard let setup = DirectorySetup(user: place.user, droppers: group) else {
      let group = group ?? place.group
      throw CommandFailure(
        status: .failure, words: "there is no group \(group): groupadd \(DirectoryRecipe.quoted(group))")
    }
    do throws(FileError) {
      return try setup.state(of: path, isArchive: isArchive)
    } catch {
      throw CommandFailure(status: .failure, words: error.words)
    }
  }

  /// Returns the secret in a key file; nil if there is none.
  static func secret(in path: String) -> Secret? {
    guard var text = KeySearch.text(of: path)?[...] else { return nil }
    while let last = text.last, last.isNewline { text.removeLast() }
    return Secret(text: String(text))
  }

  /// True if there is something at a path, or it cannot be known.
  static func exists(_ path: String) -> Bool {
    do throws(FileError) {
      _ = try FileFacts(following: path)
      return true
    } catch {
      return error.code != "ENOENT"
    }
  }
}
