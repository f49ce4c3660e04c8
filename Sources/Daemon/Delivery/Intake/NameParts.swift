import Jobs
import Messages
import Spool

/// The result of a spool's `match` for the name of a claimed file or group.
struct NameParts {
  /// The parts of the name, by their names.
  let parts: [String: String]
  /// The question to a person before it is sent; nil if there is none.
  ///
  /// A spool that ignores other names does not claim them. A person is asked about a file that was claimed under an earlier
  /// configuration, and about a name that takes too many steps to match, because it may have the parts.
  let question: Failure?

  init(of claim: Claim, _ plan: Admissions.Plan) {
    guard let matcher = plan.matcher, let pattern = plan.options.match else {
      (parts, question) = ([:], nil)
      return
    }
    let shown = DisplayText.escape(pattern.text)
    switch matcher.match(claim.dropped) {
    case .parts(let parts): (self.parts, question) = (parts, nil)
    case .unmatched:
      let failure = Failure(.file, .nameUnmatched(pattern: shown), code: "unmatched")
      (parts, question) = ([:], plan.options.unmatched == .send ? nil : failure)
    case .undecided:
      (parts, question) = (
        [:], Failure(.file, .matchTooLong(pattern: shown, spool: plan.options.name), code: "unmatched")
      )
    }
  }
}
