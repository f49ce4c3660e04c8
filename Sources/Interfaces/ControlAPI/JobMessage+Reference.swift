public import Jobs

extension JobMessage {
  /// The job for a call: its number, with its host if it is of a fleet.
  public var reference: JobReference {
    let number = JobNumber(rawValue: job)
    return host.map { .onHost($0, number) } ?? .number(number)
  }
}
