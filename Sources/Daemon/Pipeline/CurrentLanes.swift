import Jobs

/// The lanes as they are now: they are asked for several times a job, and change a few times a second. A value without clock.
struct CurrentLanes {
  var lookahead = Lookahead()
  private var arrangement: Arrangement
  private var lanes: Lanes
  private var version = 0

  init(_ arrangement: Arrangement) {
    self.arrangement = arrangement
    lanes = arrangement.lanes
  }

  /// The lanes of an arrangement, with what may be begun ahead at a time of the clock that does not jump.
  mutating func lanes(of arrangement: Arrangement, at now: Timestamp) -> Lanes {
    let isOver = lanes.aheadInAll > 0 && lookahead.isForgotten(at: now)
    if isOver || version != lookahead.version || self.arrangement !== arrangement {
      self.arrangement = arrangement
      version = lookahead.version
      lanes = arrangement.lanes
      lanes.ahead = lookahead.jobs(of: lanes.all.slots, at: now)
    }
    return lanes
  }
}
