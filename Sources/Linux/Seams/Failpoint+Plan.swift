#if DEBUG || SIMULATION
  import FoundationEssentials
  import Glibc
  import Synchronization
  import SystemPackage

  extension Failpoint {
    /// Makes this process call `body` at every pass of every point, before anything else happens there.
    public static func observe(_ body: @escaping @Sendable (Failpoint) -> Void) {
      Plan.observing.withLock { $0 = body }
    }

    /// Makes this process call `end` at this pass of the point, counted from 1: a simulated crash.
    public func end(atPass turn: Int, by end: @escaping @Sendable () -> Never) {
      Plan.installed.withLock { $0 = Plan(point: self, turn: turn, action: .call(end)) }
    }

    /// The plan for one point. `WAYBILL_FAILPOINT=NAME` ends the process there by SIGKILL, `NAME:3` at the third pass.
    /// `NAME=hang` or `NAME:3=hang` stops the thread for good, `NAME=until:FILE` until this file exists.
    ///
    /// The point is announced on standard error first. Debug builds only.
    final class Plan: Sendable {
      static let variable = "WAYBILL_FAILPOINT"
      /// The plan of this process, read once; nil if there is none.
      static let ofProcess = ProcessInfo.processInfo.environment[variable].map(named)

      fileprivate enum Action: Sendable {
        case kill
        case hang
        case wait(file: String)
        case call(@Sendable () -> Never)
      }

      fileprivate static let installed = Mutex<Plan?>(nil)
      /// The plan of this process, or the one that a simulation has installed for one life of its daemon.
      static var current: Plan? { ofProcess ?? installed.withLock(\.self) }

      fileprivate static let observing = Mutex<(@Sendable (Failpoint) -> Void)?>(nil)
      /// The function that is called at every pass.
      static var observer: (@Sendable (Failpoint) -> Void)? { observing.withLock(\.self) }

      private let point: Failpoint
      private let turn: Int
      private let action: Action
      private let passes = Atomic(0)

      fileprivate init(point: Failpoint, turn: Int, action: Action) {
        self.point = point
        self.turn = turn
        self.action = action
      }

      /// Parses a plan. A test would wait in vain for a point that does not exist, so an unknown name ends the process at once.
      private static func named(_ text: String) -> Plan {
        let words = text.split(separator: "=", maxSplits: 1)
        let nameAndTurn = (words.first ?? "").split(separator: ":", maxSplits: 1)
        let turn = nameAndTurn.count > 1 ? Int(nameAndTurn[1]) : 1
        guard let point = nameAndTurn.first.flatMap({ Failpoint(rawValue: String($0)) }), let turn, turn > 0,
          let action = action(words.count > 1 ? words[1] : nil)
        else {
          say("\(variable)=\(text) is not NAME, NAME:TURN, or one of these with =hang or =until:FILE")
          exit(EX_USAGE)
        }
        return Plan(point: point, turn: turn, action: action)
      }

      private static func action(_ words: Substring?) -> Action? {
        guard let words else { return .kill }
        if words == "hang" { return .hang }
        return words.hasPrefix("until:/") ? .wait(file: String(words.dropFirst(6))) : nil
      }

      func meet(_ point: Failpoint) {
        guard point == self.point, passes.add(1, ordering: .relaxed).newValue == turn else { return }
        if case .call(let end) = action { end() }
        Self.say("failpoint \(point.rawValue)")
        switch action {
        case .kill: kill(getpid(), SIGKILL)
        case .wait(let file): while !FileManager.default.fileExists(atPath: file) { usleep(1000) }
        case .hang: while true { pause() }
        case .call: break
        }
      }

      private static func say(_ words: String) {
        let program = CommandLine.arguments.first?.split(separator: "/").last ?? "waybill"
        // Ignored: if this cannot be written, the test that waits for it fails.
        _ = try? FileDescriptor.standardError.writeAll("\(program): \(words)\n".utf8)
      }
    }
  }
#endif
