import Jobs
import Seams
import Simulation
import Testing

/// A small world in which one file goes its way by hand: each way in which it may go wrong has to be seen.
@Suite struct BooksTests {
  private struct World {
    var servers: Servers
    var books: Books
    let drop: Drop
    let scenario: Scenario

    init(
      archives: Bool = false, kind: Drop.Kind = .single, keeps: Bool = false, skipsDuplicates: Bool = false
    ) {
      var storage = ConfigurationPlan.Storage(name: "s0", host: "s0.storage.example")
      storage.bucket = "bucket-0"
      let backend = ConfigurationPlan.Backend(name: "b0", host: "b0.backend.example")
      var spool = SpoolPlan(name: "in", directory: "spools/in", storage: "s0", backend: "b0", archives: archives)
      (spool.keeps, spool.skipsDuplicates) = (keeps, skipsDuplicates)
      servers = Servers(
        [
          Server(host: storage.host, .storage(ModelStorage(.init(bucket: "bucket-0")))),
          Server(host: backend.host, .backend(ModelBackend())),
        ], epoch: 1_795_000_000)
      scenario = Scenario(
        seed: 1, configuration: ConfigurationPlan(storages: [storage], backends: [backend], spools: [spool]),
        servers: servers,
        timeline: (1...2).map {
          Moment(at: .zero, .drop(Drop(number: $0, spool: "spools/in", name: "file-\($0).bin", size: 200)))
        })
      books = Books(scenario)
      drop = Drop(number: 1, spool: "spools/in", name: "file-1.bin", kind: kind, size: 200)
      books.finished(drop, drop.version, at: .seconds(1))
    }

    mutating func store(
      _ bytes: [UInt8], id: String = "id-1", key: String = "id-1/file-1.bin", at now: Duration = .zero
    ) {
      let headers = [
        FarHeader("Authorization", "Credential=K/x, Signature=0"),
        FarHeader("x-amz-date", servers.wall(now).iso8601Basic),
        FarHeader("x-amz-meta-waybill-id", id),
      ]
      guard
        let request = FarRequest(
          method: "PUT", url: "https://s0.storage.example/bucket-0/\(key)", headers: headers, body: bytes, sentAt: now)
      else { return }
      let answer = servers.act(on: request, now: now)
      #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    }

    mutating func register(
      id: String = "id-1", name: String = "file-1.bin", key: String? = nil, at now: Duration = .zero
    ) {
      let body =
        #"{"id":"\#(id)","bucket":"bucket-0","key":"\#(key ?? "\(id)/file-1.bin")","name":"\#(name)","size":200,"spool":"in"}"#
      guard
        let request = FarRequest(
          method: "POST", url: "https://b0.backend.example/documents",
          headers: [FarHeader("Idempotency-Key", "\"\(id)\"")], body: Array(body.utf8), sentAt: now)
      else { return }
      #expect(servers.act(on: request, now: now).status == 201)
    }

    func violations(_ paths: [String]) -> [String] {
      let facts = WorldFacts(files: paths.map { WorldFacts.File(path: $0, sum: drop.content(0).sum) })
      return books.violations(facts, servers)
    }
  }

  private static let held = ["spools/in/.waybill/id-1~file-1.bin"]

  @Test func fileInProgressIsNoViolation() {
    var world = World()
    #expect(world.violations(["spools/in/file-1.bin"]) == [])
    world.store(world.drop.content(0).bytes)
    #expect(world.violations(Self.held) == [])
    world.register()
    #expect(world.violations(Self.held) == [])
    #expect(world.violations([]) == [])
    #expect(world.books.unfinished(WorldFacts(files: []), world.servers, world.scenario.configuration) == [])
  }

  @Test func detectsFileLostBeforeRegistration() {
    var world = World()
    #expect(world.violations([]).count == 1)
    world.store(world.drop.content(0).bytes)
    #expect(world.violations([]).count == 1)
    #expect(world.books.unfinished(WorldFacts(files: []), world.servers, world.scenario.configuration).count == 1)
    world.books.givenUp(name: "file-1.bin")
    #expect(world.violations([]) == [])
  }

  @Test func detectsRegisteredWrongBytes() {
    var world = World()
    world.store(Array(world.drop.content(0).bytes.dropLast()))
    world.register()
    // It is gone, and what is registered was never whole.
    #expect(world.violations([]).count == 2)
  }

  @Test func detectsRegistrationWithoutObject() {
    var world = World()
    world.register()
    #expect(world.violations(Self.held).count == 2)
    world.books.mayBeRemoved(id: "id-1")
    #expect(world.violations(Self.held) == [])
  }

  @Test func detectsTwoIDsForOneFile() {
    var world = World()
    for id in ["id-1", "id-2"] {
      world.store(world.drop.content(0).bytes, id: id, key: "\(id)/file-1.bin")
      world.register(id: id)
    }
    #expect(world.violations([]).count == 1)
    world.books.touched(file: 1)
    #expect(world.violations([]) == [])
  }

  @Test func detectsUnknownRegistration() {
    var world = World()
    world.store([1, 2, 3], id: "id-9", key: "id-9/file-1.bin")
    world.register(id: "id-9", name: "other.bin")
    #expect(world.violations(Self.held).count == 1)
  }

  @Test func detectsSendingWhileStopped() {
    var world = World()
    world.books.stopped(id: "id-1", at: .seconds(10))
    world.books.resumed(id: "id-1", at: .seconds(20))
    world.store(world.drop.content(0).bytes, at: .seconds(9))
    #expect(world.violations(Self.held) == [])
    world.store(world.drop.content(0).bytes, at: .seconds(15))
    #expect(world.violations(Self.held).count == 1)
    world.register(at: .seconds(16))
    #expect(world.violations(Self.held).count == 2)
    world.store(world.drop.content(0).bytes, at: .seconds(21))
    #expect(world.violations(Self.held).count == 2)
  }

  @Test func detectsReplacedForeignObject() {
    var world = World()
    world.store(world.drop.content(0).bytes)
    world.store(world.drop.content(0).bytes)
    #expect(world.violations(Self.held) == [])
    world.store(world.drop.content(0).bytes, id: "id-2")
    #expect(world.violations(Self.held).count == 1)
  }

  @Test func detectsUnarchivedRegisteredFile() {
    var world = World(archives: true)
    world.store(world.drop.content(0).bytes)
    world.register()
    #expect(world.violations(Self.held) == [])
    #expect(world.violations(["archives/in/file-1.bin"]) == [])
    #expect(world.violations([]).count == 1)
  }

  @Test func detectsSidecarLostBeforeRegistration() {
    let world = World(kind: .withSidecar(sidecarFirst: true))
    #expect(world.violations(Self.held).count == 1)
  }

  @Test func overwrittenVersionMayBeMissing() {
    var world = World()
    var content = world.drop.content(0)
    content.runs.append(.init(mark: 2, size: 10))
    world.books.overwritten(file: 1)
    world.books.finished(
      world.drop, FileVersion([FileVersion.Part(.document, sum: content.sum, content: content)]), at: .seconds(2))
    let file = WorldFacts.File(path: "spools/in/file-1.bin", sum: content.sum)
    #expect(world.books.violations(WorldFacts(files: [file]), world.servers) == [])
    #expect(world.violations([]).count == 1)
  }

  /// A file that a person has stopped is not another job's.
  @Test func detectsStoppedFileSentByAnother() {
    var world = World(keeps: true)
    world.books.stopped(id: "id-1", name: "file-1.bin", at: .seconds(10))
    world.store(world.drop.content(0).bytes, id: "id-2", key: "id-2/file-1.bin", at: .seconds(15))
    world.register(id: "id-2", at: .seconds(16))
    #expect(world.violations(Self.held).count == 1)
    world.books.touched(file: 1)
    #expect(world.violations(Self.held) == [])
  }

  /// A file that was sent twice is no fault if a person was asked about the second time.
  @Test func allowsRepetitionAfterQuestion() {
    var world = World(keeps: true)
    for id in ["id-1", "id-2"] {
      world.store(world.drop.content(0).bytes, id: id, key: "\(id)/file-1.bin")
      world.register(id: id)
    }
    #expect(world.violations(Self.held).count == 1)
    world.books.mayRepeat(id: "id-2")
    #expect(world.violations(Self.held) == [])
  }

  /// A file with earlier bytes is sent only if it came before those were registered.
  @Test(arguments: [false, true], [5, 60])
  func detectsDuplicateThatIsSent(skips: Bool, cameAt: Int) {
    var world = World(skipsDuplicates: skips)
    world.store(world.drop.content(0).bytes)
    world.register(at: .seconds(2))
    var second = Drop(number: 2, spool: "spools/in", name: "file-2.bin", size: 200)
    second.sameAs = 1
    world.books.finished(second, second.version, at: .seconds(cameAt))
    #expect(world.violations(Self.held) == [])
    world.store(world.drop.content(0).bytes, id: "id-2", key: "id-2/file-2.bin", at: .seconds(cameAt + 1))
    world.register(id: "id-2", name: "file-2.bin", key: "id-2/file-2.bin", at: .seconds(cameAt + 1))
    let isWrong = skips && cameAt == 60
    #expect(world.violations(Self.held).count == (isWrong ? 1 : 0))
  }

  /// A registration about the object of an earlier file is a fault.
  @Test func detectsEarlierObject() {
    var world = World()
    world.store(world.drop.content(0).bytes)
    world.register(at: .seconds(2))
    var second = Drop(number: 2, spool: "spools/in", name: "file-2.bin", size: 200)
    second.sameAs = 1
    world.books.finished(second, second.version, at: .seconds(60))
    world.register(id: "id-2", name: "file-2.bin", key: "id-1/file-1.bin", at: .seconds(61))
    #expect(!world.violations(Self.held).isEmpty)
  }

  /// An object of a job that has ended without it is known to somebody, or it is a fault.
  @Test(arguments: ["registered", "skipped", "cancelled", "discarded", "aborted", "queued"])
  func detectsOrphan(_ state: String) {
    var world = World()
    world.store(world.drop.content(0).bytes)
    func left(_ remote: String? = nil, told: [String] = [], jobs: Bool = true) -> [String] {
      let job = WorldFacts.Job(
        number: 1, id: "id-1", spool: "in", name: "file-1.bin", step: "upload", state: state, remote: remote)
      return world.books.leftovers(WorldFacts(files: [], jobs: jobs ? [job] : [], told: told), world.servers)
    }
    let goesOn = state == "aborted" || state == "queued"
    #expect(left().isEmpty == goesOn && left("clean").isEmpty == goesOn && !left(jobs: false).isEmpty)
    #expect(left("pending").isEmpty && left("object-left").isEmpty)
    for told in ["id-1", "The object id-1/file-1.bin of job 1 stays at storage.s0"] {
      #expect(left(told: [told]).isEmpty && left(told: [told], jobs: false).isEmpty)
    }
    world.register()
    #expect(left(jobs: false).isEmpty)
  }
}
