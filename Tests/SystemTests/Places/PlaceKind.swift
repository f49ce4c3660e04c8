import ChildProcesses
import Foundation
import Glibc

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

  /// The reason why nothing runs in this place here; nil if it does.
  var whyNot: String? {
    switch self {
    case .process: nil
    case .otherUser: UnixUser.canRun ? nil : "another user takes root"
    case .unit: DebianPackage.canRun ? nil : "the unit takes root, systemd and debhelper"
    case .newerUnit: Debian13.canRun ? nil : "it takes root and a tree of Debian 13"
    case .container: Container.canRun ? nil : "a container takes root, runc and umoci"
    }
  }
}

extension PlaceScenario {
  /// The reason why this scenario does not run in a place; nil if it does.
  func whyNot(in kind: PlaceKind) -> String? {
    guard kind == .process || kind == .otherUser else { return nil }
    switch self {
    case .disk where !MemoryDisk.canRun: return "a mount takes root"
    case .authority where !MemoryDisk.canRun: return "the system's authorities are root's to change"
    case .check where kind == .process && geteuid() == 0 && !MemoryDisk.canRun: return "root may write anywhere"
    case .stranger where !UnixUser.canRun: return "another user takes root"
    default: return nil
    }
  }
}
