import ChildProcesses
import Jobs
import MessageLiterals
import Messages
import Testing

@testable import ControlAPI

/// What was shown of a group goes with an answer to it: jobs that were not shown are never answered.
struct GroupDigestTests {
  private static let reasons = ["invoice number 4711 is taken", "no such customer"]

  /// A job with a question, which changed so many microseconds after the beginning.
  private static func job(
    _ number: Int64, revision: Int64, at time: Int64, reason: Int = 0, held: Bool = false
  ) -> JobMessage {
    var job = MessageTests.job(number: number)
    job.revision = revision
    job.updatedAt = Timestamp(microseconds: time)
    guard !held else {
      return JobMessage(job, path: nil, heldBy: HoldMessage(destination: "storage.main", reason: "paused"))
    }
    job.state = .awaitingConfirmation
    job.failure = Failure(.rejected, .text(reasons[reason]), status: 422)
    return JobMessage(job, path: nil, heldBy: nil)
  }

  private static func group(
    _ jobs: [JobMessage], _ filter: JobFilter = JobFilter(), clock: Duration = .zero
  ) throws -> ReasonGroup {
    var count = ReasonCount(filter, clock: clock)
    for job in jobs { count.add(job) }
    return try #require(count.largestFirst.first)
  }

  private static func isAnswerable(
    _ group: ReasonGroup, _ jobs: [JobMessage], _ filter: JobFilter = JobFilter(), clock: Duration = .zero
  ) throws -> Bool {
    let (shown, key) = (try #require(group.digest), ReasonKey(of: try #require(jobs.first)))
    var now = GroupDigest(key, filter, clock: clock)
    for job in jobs where shown.wasShown(changedAt: job.updatedAt) { now.add(job) }
    return shown.isAnswerable(now: now, mayShrink: !key.isHeld)
  }

  @Test func changedGroupIsNotAnswerable() throws {
    let shown = [1, 2, 3].map { Self.job($0, revision: 4, at: $0 * 10) }
    let group = try Self.group(shown)
    func isAnswerable(
      _ now: [JobMessage], _ filter: JobFilter = JobFilter(), clock: Duration = .zero
    ) throws -> Bool { try Self.isAnswerable(group, now, filter, clock: clock) }
    var spool = JobFilter()
    spool.spool = "documents"
    var likeIt = JobFilter()
    (likeIt.like, likeIt.states, likeIt.step) = (JobNumber(rawValue: 1), [.awaitingConfirmation], .upload)
    let other = Self.job(1, revision: 7, at: 90, reason: 1)
    let newcomer = Self.job(9, revision: 1, at: 31)
    let asOld = Self.job(9, revision: 1, at: 30)
    #expect(try isAnswerable(shown))
    #expect(try isAnswerable(shown, likeIt), "the group may be named in the filter or not")
    #expect(try isAnswerable(Array(shown.dropFirst())), "one has left")
    #expect(try isAnswerable(shown + [newcomer]), "one has come, and is left alone")
    #expect(try isAnswerable([newcomer, shown[2]]), "both")
    #expect(try !isAnswerable([other]), "job 1 has another question")
    #expect(try !isAnswerable([newcomer]), "nothing is left of what was shown")
    #expect(try !isAnswerable(shown + [asOld]), "more than were shown")
    #expect(try !isAnswerable([shown[0], shown[1], asOld]), "as many, but others")
    #expect(try !isAnswerable(shown, spool), "counted with another filter")
    #expect(try !isAnswerable([shown[0]], clock: .seconds(60)), "somebody has set the clock")
    #expect(try isAnswerable(shown, clock: .seconds(60)), "and nothing has changed")
    #expect(group.digest?.wasShown(changedAt: newcomer.updatedAt) == false)
  }

  /// The own name of a file, and the path of one file of a group, make no kind of their own.
  @Test func filesOfOneReasonAreOneGroup() throws {
    func job(_ number: Int64, _ name: String, _ message: Message) -> JobMessage {
      var job = MessageTests.job(FileName(name), number: number)
      job.state = .awaitingConfirmation
      job.failure = Failure(.rejected, message, status: 422)
      return JobMessage(job, path: nil, heldBy: nil)
    }
    func groups(_ jobs: [JobMessage]) -> [ReasonGroup] {
      var count = ReasonCount(JobFilter(), clock: .zero)
      for job in jobs { count.add(job) }
      return count.largestFirst
    }
    let own = groups([
      job(1, "red.bcl", .text("red.bcl has no header")), job(2, "green.bcl", .text("green.bcl has no header")),
    ])
    #expect(own.map(\.count) == [2] && own.first?.reason.text == "… has no header", "\(own)")
    let members = groups([
      job(1, "first", .spoolDisappeared(path: "Data/red.bcl")),
      job(2, "second", .spoolDisappeared(path: "Data/green.bcl")),
    ])
    #expect(
      members.map(\.count) == [2] && members.first?.reason.text == "the spool directory … has disappeared", "\(members)"
    )
    let other = groups([
      job(1, "red.bcl", .text("red.bcl has no header")), job(2, "green.bcl", .text("red.bcl has no header")),
    ])
    #expect(other.map(\.count) == [1, 1], "another file's name may be the reason")
  }

  /// A pause moves jobs from one group into another and changes none of them.
  @Test func heldGroupIsAnsweredAsWhole() throws {
    let shown = [1, 2, 3].map { Self.job($0, revision: 4, at: $0 * 10, held: true) }
    let group = try Self.group(shown)
    #expect(group.kind == "held")
    #expect(try Self.isAnswerable(group, shown))
    #expect(try Self.isAnswerable(group, shown + [Self.job(4, revision: 1, at: 40, held: true)]))
    #expect(try !Self.isAnswerable(group, Array(shown.dropLast())))
  }

  /// Whatever happens between showing and answering: an answer reaches jobs as they were shown, and a group that has only lost
  /// jobs or got new ones can be answered.
  @Test(arguments: Seeds.many(0..<500)) func neverAnswersUnseenJobs(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var time: Int64 = 0
    var jobs: [Int64: JobMessage] = [:]
    func tick() -> Int64 {
      time += Int64.random(in: 1...3, using: &random)
      return time
    }
    for number in 1...Int64.random(in: 1...8, using: &random) {
      jobs[number] = Self.job(number, revision: 1, at: tick(), reason: Int.random(in: 0...1, using: &random))
    }
    func key(_ job: JobMessage) -> ReasonKey { ReasonKey(of: job) }
    guard let named = jobs.values.min(by: { $0.job < $1.job }) else { return }
    let shown = jobs.values.filter { key($0) == key(named) }.sorted { $0.job < $1.job }
    let group = try Self.group(shown)
    var clock = Duration.zero
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let number = Int64.random(in: 1...10, using: &random)
      switch Int.random(in: 0...6, using: &random) {
      case 0, 1: jobs[number] = nil
      case 2 where seed.isMultiple(of: 3):
        let step = Int64.random(in: -8_000_000 ... -1_000_000, using: &random)
        time += step
        clock += .microseconds(step)
      default:
        jobs[number] = Self.job(
          number, revision: (jobs[number]?.revision ?? 0) + 1, at: tick(), reason: Int.random(in: 0...1, using: &random)
        )
      }
    }
    guard let now = jobs[named.job] else { return }
    let members = jobs.values.filter { key($0) == key(now) }
    let answered = members.filter { group.digest?.wasShown(changedAt: $0.updatedAt) == true }
    if try Self.isAnswerable(group, [now] + members.filter { $0 != now }, clock: clock) {
      #expect(answered.allSatisfy(shown.contains), "seed \(seed)")
    } else if clock == .zero, key(now) == key(named) {
      #expect(!members.contains(where: shown.contains), "seed \(seed)")
    }
  }

  @Test func digestRoundTripsAndRejectsOthers() throws {
    let digest = try #require(Self.group([Self.job(1, revision: 4, at: -10)], clock: .milliseconds(-1500)).digest)
    #expect(GroupDigest(digest.description) == digest)
    #expect(try GroupDigest(json: .text(digest.description)) == digest)
    let words = digest.description
    for text in [
      "", "x", words + ".1", String(words.dropFirst()), words.replacing(".", with: ","), words + "9999999999999999999",
    ] {
      #expect(GroupDigest(text) == nil, "\(text)")
    }
  }
}
