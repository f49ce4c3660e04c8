import ControlAPI
import Jobs
import Testing

struct BodyTests {
  let now = Timestamp(year: 2026, month: 11, day: 21, hour: 12)

  @Test func emptyBodyEqualsEmptyObject() throws {
    #expect(try CommandBody(parsing: [], for: .cancel) == CommandBody(parsing: Array("{}".utf8), for: .cancel))
  }

  @Test(arguments: [JobCommand.cancel(remove: true), .cancel(reason: "x", remove: true), .cancel(remove: false)])
  func removalFlagRoundTrips(_ command: JobCommand) throws {
    let one = try CommandBody(parsing: CommandBody(command).json, for: .cancel)
    #expect(one.command == command)
    let many = try BulkBody(parsing: BulkBody(command, .all).json, for: .cancel, now: now)
    #expect(many.command == command)
    #expect(throws: InvalidRequest.self) {
      try CommandBody(parsing: Array(#"{"remove":true}"#.utf8), for: .retry)
    }
  }

  @Test(arguments: [
    (JobCommand.Name.confirm, #"{"reson":"x"}"#, "reson"), (.confirm, #"{"reason":"x"}"#, "reason"),
    (.retry, #"{"link":"s3://a/b"}"#, "link"), (.cancel, #"{"revision":"7"}"#, "revision"),
    (.cancel, #"{"reason":7}"#, "reason"), (.confirm, #"{"link":""}"#, "link"),
    (.confirm, #"{"link":"http://a\nb"}"#, "link"), (.confirm, #"{"link":"/no/scheme"}"#, "link"),
    (.confirm, #"{"link":"s3:"}"#, "link"), (.confirm, #"{"link":"1s:x"}"#, "link"),
    (.confirm, #"{"link":"s3://\#(String(repeating: "a", count: 2048))"}"#, "2048"),
    (.release, #"{"to":"x"}"#, "absolute"), (.release, #"{"to":""}"#, "absolute"),
    (.release, #"{"to":"--"}"#, "absolute"),
    (.release, #"{"to":"/\u0000"}"#, "absolute"), (.discard, #"{"to":"/x"}"#, "to"), (.confirm, "[]", "body"),
    (.confirm, "{", "JSON"),
    (.confirm, "confirm=1", "JSON"), (.confirm, "\u{FF}", "JSON"), (.retry, #"{"revision":1.5}"#, "number"),
    (.retry, #"{"revision":null}"#, "revision is null"), (.retry, #"{"revision":-1}"#, "revision"),
  ])
  func refusesInvalidBodyNamingMember(name: JobCommand.Name, text: String, named: String) {
    let error = #expect(throws: InvalidRequest.self) { try CommandBody(parsing: Array(text.utf8), for: name) }
    #expect(error?.description.contains(named) == true, "\(error?.description ?? "")")
  }

  @Test func releaseNeedsDirectoryAndSingleJob() throws {
    let body = try CommandBody(parsing: Array(#"{"to":"/srv/back"}"#.utf8), for: .release)
    #expect(body.command == .release(to: "/srv/back"))
    #expect(throws: InvalidRequest.self) { try CommandBody(parsing: [], for: .release) }
    #expect(JobCommand.Name.allCases.filter { !$0.isForMany } == [.release])
  }

  private static let targets: [Pause.Target] = [
    .all, .intake, .recovered, .spool("a.b"), .destination(.storage("main")), .destination(.backend("main")),
  ]

  @Test(arguments: targets)
  func pauseTargetRoundTrips(_ target: Pause.Target) throws {
    #expect(try PauseBody(parsing: PauseBody(target).json) == PauseBody(target))
    let body = Array(#"{"destination":"\#(target.name)"}"#.utf8)
    #expect(try PauseBody(parsing: body).target == target)
  }

  @Test(arguments: [
    (#"{"spool":"a","storage":"b"}"#, "exclude"), (#"{"intake":false}"#, "intake"), (#"{"all":true}"#, "all"),
    (#"{"spool":7}"#, "spool"), ("[]", "body"), ("{", "JSON"),
    // what a script sends whose variable is empty: it must not pause everything
    (#"{"spool":null}"#, "spool is null"), (#"{"recovered":true}"#, "recovered"),
    (#"{"destination":null}"#, "destination is null"), (#"{"destination":""}"#, "destination"),
    (#"{"destination":"main"}"#, "storage.NAME"), (#"{"spool":""}"#, "spool needs a value"),
    (#"{"destination":"all","spool":"a"}"#, "exclude"),
    (#"{"host":"a"}"#, "host"),
  ])
  func refusesAmbiguousPause(text: String, named: String) {
    let error = #expect(throws: InvalidRequest.self) { try PauseBody(parsing: Array(text.utf8)) }
    #expect(error?.description.contains(named) == true, "\(error?.description ?? "")")
  }

  @Test func acceptsLinksLikeDefaultOnes() throws {
    for link in ["s3://documents/ü scan 1.pdf", "https://host/a?b=c#d", "urn:isbn:1"] {
      let body = try CommandBody(parsing: CommandBody(.confirm(link: link)).json, for: .confirm)
      #expect(body.command == .confirm(link: link))
    }
  }

  @Test func selectionRoundTrips() throws {
    var filter = JobFilter()
    filter.states = [.aborted, .cancelled]
    filter.name = "*.pdf"
    filter.since = now
    let seen = JobSelection.seen([
      SeenJob(.number(JobNumber(rawValue: 1)), revision: 5), SeenJob(.id(JobID(high: 1, low: 2)), revision: nil),
    ])
    var like = filter
    like.like = JobNumber(rawValue: 12)
    let digest = try #require(GroupDigest(String(repeating: "a", count: 32) + ".3.ff.12.0"))
    for selection in [JobSelection.all, .filter(filter), seen, .group(like, digest)] {
      let bytes = BulkBody(.cancel(reason: "x"), selection).json
      let read = try BulkBody(parsing: bytes, for: .cancel, now: now)
      #expect(read.selection == selection)
      #expect(read.command == .cancel(reason: "x"))
    }
  }

  @Test(arguments: [
    #"{"like":12}"#, #"{"like":"12","state":"aborted"}"#, #"{"like":12,"digest":null}"#, #"{"like":12,"digest":"x"}"#,
    #"{"like":12,"digest":7}"#, #"{"state":"aborted","digest":"x"}"#, #"{"digest":"x"}"#, #"{"all":true,"digest":"x"}"#,
    #"{"jobs":[1],"digest":"x"}"#,
  ])
  func groupSelectionNeedsDigest(text: String) {
    for name in JobCommand.Name.allCases where name != .release {
      let error = #expect(throws: InvalidRequest.self) { try BulkBody(parsing: Array(text.utf8), for: name, now: now) }
      #expect(error?.description.contains(/digest|Say which/) == true, "\(text)")
    }
  }

  @Test func acceptsJobNumbersAndStateLists() throws {
    let jobs = try BulkBody(parsing: Array(#"{"jobs":[1,"2"]}"#.utf8), for: .retry, now: now)
    #expect(jobs.selection == .seen([1, 2].map { SeenJob(.number(JobNumber(rawValue: $0)), revision: nil) }))
    let seen = try BulkBody(parsing: Array(#"{"jobs":[{"job":1,"revision":7},2]}"#.utf8), for: .retry, now: now)
    #expect(
      seen.selection
        == .seen([
          SeenJob(.number(JobNumber(rawValue: 1)), revision: 7),
          SeenJob(.number(JobNumber(rawValue: 2)), revision: nil),
        ]))
    let states = try BulkBody(parsing: Array(#"{"state":["aborted","queued"]}"#.utf8), for: .retry, now: now)
    var filter = JobFilter()
    filter.states = [.aborted, .queued]
    #expect(states.selection == .filter(filter))
  }

  /// Also what a script sends whose variable is empty.
  @Test(arguments: [
    "", "{}", #"{"all":false}"#, #"{"all":true,"jobs":[1]}"#, #"{"all":true,"state":"queued"}"#,
    #"{"jobs":[1],"state":"queued"}"#, #"{"jobs":[0]}"#, #"{"jobs":["x"]}"#, #"{"jobs":1}"#, #"{"jobs":[1.5]}"#,
    #"{"jobs":[{"revision":1}]}"#, #"{"jobs":[{"job":1,"revision":"x"}]}"#, #"{"jobs":[{"job":1,"seen":1}]}"#,
    #"{"all":true,"link":"s3://a/b"}"#, #"{"all":true,"revision":1}"#, #"{"limit":1,"all":true}"#, "null",
    #"{"name":""}"#, #"{"spool":""}"#, #"{"error":""}"#, #"{"state":""}"#, #"{"name":null}"#,
    #"{"state":"aborted","name":null}"#, #"{"all":true,"jobs":null}"#, #"{"state":[]}"#,
    #"{"state":"aborted","spool":[]}"#, #"{"state":"aborted","since":[]}"#, #"{"all":null,"state":"aborted"}"#,
    #"{"jobs":[{"job":1,"revision":null}]}"#, #"{"jobs":[{"job":1,"revision":-1}]}"#, #"{"jobs":[{"job":{"job":1}}]}"#,
    #"{"jobs":["+1"]}"#, #"{"jobs":["01"]}"#,
  ])
  func refusesAmbiguousSelection(text: String) {
    for name in JobCommand.Name.allCases where name != .release {
      #expect(throws: InvalidRequest.self) { try BulkBody(parsing: Array(text.utf8), for: name, now: now) }
    }
  }
}
