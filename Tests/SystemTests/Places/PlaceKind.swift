import ChildProcesses
import Foundation
import Glibc

@testable import Harness

/// The kinds of places in which Waybill runs. The scenarios are the rows of a table, and these are its columns.
enum PlaceKind: String, CaseIterable {
  /// A process that a person starts, as the user who runs the tests.
  case process
  /// A process of an ordinary user, without the right to lease others' files, and files that another user drops.
  case otherUser = "another user's process"
  /// The unit of the package, under the systemd of this machine: 252 on Debian 12.
  case unit
  /// The same under the systemd of Debian 13, 257.
  case newerUnit = "unit on Debian 13"
  /// The image, without any capability, under runc.
  case container

  /// True if it is a unit of systemd.
  var isUnit: Bool { self == .unit || self == .newerUnit }
}

extension PlaceScenario {
  /// The reason why this scenario does not run in a place; nil if it does.
  func whyNot(in kind: PlaceKind) async -> String? {
    guard kind == .process || kind == .otherUser else { return nil }
    switch self {
    case .disk: return await Capability.mount.missing
    // The system's authorities are mounted over.
    case .authority: return await Capability.mount.missing
    case .check where kind == .process && geteuid() == 0:
      return await Capability.mount.isThere ? nil : "root may write anywhere"
    case .stranger: return await Capability.testUsers.missing
    default: return nil
    }
  }

  /// The scenarios that run in a place.
  static func all(in kind: PlaceKind) async -> [PlaceScenario] {
    var all: [PlaceScenario] = []
    for scenario in allCases where await scenario.whyNot(in: kind) == nil { all.append(scenario) }
    return all
  }
}
