import ArgumentParser
import CommandParts
import FoundationEssentials
import Jobs
import Linux
import Settings

/// Carries out the steps of a plan, and says each as the command that does the same.
struct SetupRunner {
  /// The way in which a run ended before all steps were made.
  enum End: Error {
    /// The person wants to answer again.
    case changeAnswers
    /// A signal, which is let through once everything is said.
    case signal(Int32)
  }

  var plan: SetupPlan
  var answers: SetupAnswers?
  let place: SetupPlace
  let environment: [String: String]
  let signals: CaughtSignals
  /// Asks the person for one of some keys; nil if nobody is there.
  let choose: ((String) async throws -> String)?
  /// The key files that this run has made.
  var madeKeys: [String] = []
  /// The steps that were made and undone.
  var undone: [SetupStep] = []
  /// The configuration as it was tried, before or after it was written.
  var configuration: Configuration?
  /// True if the daemon's user joined a group, which it notices only at a start.
  var needsRestart = false
  private var done = 0

  init(
    _ plan: SetupPlan, _ answers: SetupAnswers?, at place: SetupPlace, environment: [String: String],
    signals: CaughtSignals, choose: ((String) async throws -> String)?
  ) {
    self.plan = plan
    self.answers = answers
    self.place = place
    self.environment = environment
    self.signals = signals
    self.choose = choose
  }

  /// The number of columns of lines.
  static var width: Int { Terminal.standardOutput.columns ?? 80 }

  /// Makes all steps.
  ///
  /// - Throws: ``CommandFailure`` after what is not done was said; ``End/changeAnswers``.
  mutating func run() async throws {
    Output.line("done:")
    do {
      while done < plan.steps.count {
        try throwIfSignalled()
        let step = plan.steps[done]
        try await carryOut(step)
        show(step)
        done += 1
      }
      try throwIfSignalled()
    } catch End.changeAnswers {
      throw End.changeAnswers
    } catch End.signal(let number) {
      showRest()
      signals.letThrough(number)
    } catch {
      showRest()
      // A program that the step ran met the same signal.
      if let number = signals.next() { signals.letThrough(number) }
      throw error
    }
  }

  private func throwIfSignalled() throws(End) {
    if let number = signals.next() { throw .signal(number) }
  }

  private func show(_ step: SetupStep) { Self.show(step.commands(at: place)) }

  private func showRest() {
    let rest = undone + plan.steps[done...]
    guard !rest.isEmpty else { return }
    Output.line("not done:")
    Self.show(SetupPlan.commands(rest, at: place))
  }

  /// Prints commands in lines that fit. The lines of a file are printed as they are, because a shell takes them so.
  static func show(_ commands: [String]) {
    var isFile = false
    for command in commands {
      if isFile {
        Output.line(command)
        isFile = command != "END"
      } else {
        for line in CommandLines.folded(command, width: width) { Output.line(line) }
        isFile = command.hasSuffix("<< 'END'")
      }
    }
  }

  /// Prints a remark between the commands, which a shell ignores.
  static func remark(_ text: String) {
    for line in Folded.lines(text, width: width - 4, indent: 2) { Output.line("  # " + line) }
  }

  /// Runs something that takes a while. A signal ends it.
  ///
  /// - Throws: its errors, and ``End/signal(_:)``.
  func interruptible<Answer: Sendable>(_ body: @escaping @Sendable () async throws -> Answer) async throws -> Answer {
    let signals = signals
    return try await withThrowingTaskGroup(of: Answer?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        while !Task.isCancelled {
          if let number = signals.next() { throw End.signal(number) }
          try await Task.sleep(for: .milliseconds(50))
        }
        return nil
      }
      defer { group.cancelAll() }
      while let answer = try await group.next() { if let answer { return answer } }
      throw CancellationError()
    }
  }
}
