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
      kind: Drop.Kind = .single, seal: ConfigurationPlan.Seal? = nil, overwrites: Bool = false,
      _ change: (inout SpoolPlan) -> Void = { _ in }
    ) {
      var storage = ConfigurationPlan.Storage(name: "s0", host: "s0.storage.example")
      (storage.bucket, storage.seal, storage.overwrites) = ("bucket-0", seal, overwrites)
      let backend = ConfigurationPlan.Backend(name: "b0", host: "b0.backend.example")
      var spool = SpoolPlan(name: "in", directory: "spools/in", storage: "s0", backend: "b0")
      change(&spool)
      servers = Servers(
        [
          Server(host: storage.host, .storage(ModelStorage(.init(bucket: "bucket-0")))),
          Server(host: backend.host, .backend(ModelBackend())),
          Server(host: "b1.backend.example", .backend(ModelBackend())),
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

    /// A request of the daemon's to the storage; by default it stores the file.
    @discardableResult
    mutating func store(
      _ bytes: [UInt8]? = nil, id: String = "id-1", key: String? = nil, at now: Duration = .zero,
      method: String = "PUT", query: String = "", with more: [FarHeader] = [], status: Int = 200
    ) -> FarAnswer? {
      let headers = [
        FarHeader("Authorization", "Credential=K/x, Signature=0"),
        FarHeader("x-amz-date", servers.wall(now).iso8601Basic), FarHeader("x-amz-meta-waybill-id", id),
      ]
      let url = "https://s0.storage.example/bucket-0/\(key ?? "\(id)/file-1.bin")\(query)"
      let body = method == "PUT" ? bytes ?? drop.content(0).bytes : []
      let request = FarRequest(method: method, url: url, headers: headers + more, body: body, sentAt: now)
      let answer = request.map { servers.act(on: $0, now: now) }
      #expect(answer?.status == status, "\(String(decoding: answer?.body ?? [], as: UTF8.self))")
      return answer
    }

    mutating func register(
      id: String = "id-1", name: String = "file-1.bin", key: String? = nil, at now: Duration = .zero,
      host: String = "b0"
    ) {
      let body =
        #"{"id":"\#(id)","bucket":"bucket-0","key":"\#(key ?? "\(id)/file-1.bin")","name":"\#(name)","size":200,"spool":"in"}"#
      let request = FarRequest(
        method: "POST", url: "https://\(host).backend.example/documents",
        headers: [FarHeader("Idempotency-Key", "\"\(id)\"")], body: Array(body.utf8), sentAt: now)
      #expect(request.map { servers.act(on: $0, now: now).status } == 201)
    }

    mutating func dropTwin(at time: Duration) {
      var second = Drop(number: 2, spool: "spools/in", name: "file-2.bin", size: 200)
      second.sameAs = 1
      books.finished(second, second.version, at: time)
    }

    func violations(_ paths: [String] = ["spools/in/.waybill/id-1~file-1.bin"]) -> [String] {
      let facts = WorldFacts(files: paths.map { WorldFacts.File(path: $0, sum: drop.content(0).sum) })
      return books.violations(facts, servers)
    }

    var unfinished: [String] { books.unfinished(WorldFacts(files: []), servers, scenario.configuration) }
  }

  @Test func fileInProgressIsNoViolation() {
    var world = World()
    #expect(world.violations(["spools/in/file-1.bin"]) == [])
    world.store()
    #expect(world.violations() == [])
    world.register()
    #expect(world.violations() == [])
    #expect(world.violations([]) == [])
    #expect(world.unfinished == [])
  }

  @Test func detectsFileLostBeforeRegistration() {
    var world = World()
    #expect(world.violations([]).count == 1)
    world.store()
    #expect(world.violations([]).count == 1)
    #expect(world.unfinished.count == 1)
    world.books.givenUp(name: "file-1.bin")
    #expect(world.violations([]) == [])
    #expect(World(kind: .withSidecar(sidecarFirst: true)).violations().count == 1)
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
    #expect(world.violations().count == 2)
    world.books.mayBeRemoved(id: "id-1")
    #expect(world.violations() == [])
  }

  /// A file that was sent twice is no fault if a person was asked about the second time, or if its dropper has set its time.
  @Test(arguments: [false, true])
  func detectsTwoIDsForOneFile(keeps: Bool) {
    var world = World { $0.keeps = keeps }
    for id in ["id-1", "id-2"] {
      world.store(id: id)
      world.register(id: id)
    }
    #expect(world.violations().count == 1)
    if keeps { world.books.mayRepeat(id: "id-2") } else { world.books.touched(file: 1) }
    #expect(world.violations() == [])
  }

  @Test func detectsUnknownRegistration() {
    var world = World()
    world.store([1, 2, 3], id: "id-9")
    world.register(id: "id-9", name: "other.bin")
    #expect(world.violations().count == 1)
  }

  @Test func detectsRegistrationElsewhere() {
    var world = World()
    world.store()
    world.register(host: "b1")
    #expect(world.violations().count == 1)
  }

  @Test func detectsSendingWhileStopped() {
    var world = World()
    world.books.stopped(id: "id-1", at: .seconds(10))
    world.books.resumed(id: "id-1", at: .seconds(20))
    world.store(at: .seconds(9))
    #expect(world.violations() == [])
    world.store(at: .seconds(15))
    #expect(world.violations().count == 1)
    world.register(at: .seconds(16))
    #expect(world.violations().count == 2)
    world.store(at: .seconds(21))
    #expect(world.violations().count == 2)
  }

  @Test func detectsReplacedForeignObject() {
    var world = World()
    for _ in 0..<2 { world.store() }
    #expect(world.violations() == [])
    world.store(id: "id-2", key: "id-1/file-1.bin")
    #expect(world.violations().count == 1)
  }

  @Test func detectsUnarchivedRegisteredFile() {
    var world = World { $0.archives = true }
    world.store()
    world.register()
    #expect(world.violations() == [])
    #expect(world.violations(["archives/in/file-1.bin"]) == [])
    #expect(world.violations([]).count == 1)
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
    var world = World { $0.keeps = true }
    world.books.stopped(id: "id-1", name: "file-1.bin", at: .seconds(10))
    world.store(id: "id-2", at: .seconds(15))
    world.register(id: "id-2", at: .seconds(16))
    #expect(world.violations().count == 1)
    world.books.touched(file: 1)
    #expect(world.violations() == [])
  }

  /// A file with earlier bytes is sent only if it came before those were registered.
  @Test(arguments: [false, true], [5, 60])
  func detectsDuplicateThatIsSent(skips: Bool, cameAt: Int) {
    var world = World { $0.skipsDuplicates = skips }
    world.store()
    world.register(at: .seconds(2))
    world.dropTwin(at: .seconds(cameAt))
    #expect(world.violations() == [])
    world.store(id: "id-2", key: "id-2/file-2.bin", at: .seconds(cameAt + 1))
    world.register(id: "id-2", name: "file-2.bin", key: "id-2/file-2.bin", at: .seconds(cameAt + 1))
    let isWrong = skips && cameAt == 60
    #expect(world.violations().count == (isWrong ? 1 : 0))
  }

  /// A registration about the object of an earlier file is a fault.
  @Test func detectsEarlierObject() {
    var world = World()
    world.store()
    world.register(at: .seconds(2))
    world.dropTwin(at: .seconds(60))
    world.register(id: "id-2", name: "file-2.bin", key: "id-1/file-1.bin", at: .seconds(61))
    #expect(!world.violations().isEmpty)
  }

  /// A file whose name does not match stays under its name.
  @Test func detectsTakenFileThatDoesNotMatch() {
    var world = World { $0.prefix = "met-" }
    #expect(world.violations(["spools/in/file-1.bin"]) == [] && world.unfinished == [])
    #expect(world.violations().count == 1)
    world.store()
    world.register()
    #expect(world.violations(["spools/in/file-1.bin"]).count == 1)
  }

  @Test(arguments: [
    (ConfigurationPlan.Seal.lock, FarHeader("x-amz-object-lock-mode", "GOVERNANCE")),
    (.encryption, FarHeader("x-amz-server-side-encryption", "aws:kms")),
  ])
  func detectsUnsealedObject(_ seal: ConfigurationPlan.Seal, _ header: FarHeader) {
    var world = World(seal: seal)
    world.store(at: .seconds(1), with: [header])
    #expect(world.violations() == [])
    world.store()
    #expect(world.violations().count == 1)
  }

  /// The storage of these worlds: the version below the removed one is the object again, and a lock refuses the removal.
  @Test func versionsAreRemovedOneByOne() {
    var world = World()
    world.servers.all[0].storage?.options.keepsVersions = true
    func head(_ query: String = "", status: Int = 200) -> String? {
      world.store(method: "HEAD", query: query, status: status)?[header: "x-amz-version-id"]
    }
    func put(_ more: [FarHeader] = []) -> String { world.store(with: more)?[header: "x-amz-version-id"] ?? "" }
    let (first, second) = (put(), put())
    #expect(head() == second && head("?versionId=\(first)") == first)
    world.store(method: "DELETE", query: "?versionId=\(second)", status: 204)
    #expect(head() == first)
    world.store(method: "DELETE", status: 204)
    #expect(head(status: 404) == nil)
    let locked = put([FarHeader("x-amz-object-lock-mode", "GOVERNANCE")])
    world.store(method: "DELETE", query: "?versionId=\(locked)", status: 403)
    #expect(head() == locked)
  }

  /// An object of a job that has ended without it is known to somebody, or it is a fault.
  @Test(arguments: ["registered", "skipped", "cancelled", "discarded", "aborted", "queued"])
  func detectsOrphan(_ state: String) {
    var world = World()
    world.store()
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

  /// What was registered counts as it was then, whoever replaces it later where its storage overwrites.
  @Test(arguments: [false, true])
  func deliveryCountsByVersionOfItsTime(overwrites: Bool) {
    var world = World(overwrites: overwrites)
    world.store(key: "plain", at: .seconds(1))
    world.register(key: "plain", at: .seconds(2))
    world.store([1], key: "plain", at: .seconds(3))
    #expect(world.unfinished == [] && world.violations([]) == [])
    world.store([2], id: "id-2", key: "plain", at: .seconds(4))
    #expect(world.unfinished.isEmpty == overwrites && world.violations([]).isEmpty == overwrites)
    let stopped = WorldFacts.Job(
      number: 2, id: "id-2", spool: "in", name: "file-2.bin", step: "upload", state: "cancelled", remote: "clean")
    let left = world.books.leftovers(WorldFacts(files: [], jobs: [stopped]), world.servers)
    #expect(left == ["the object plain is nobody's"], "the key is another job's")
  }

  /// Whatever a damaged row brings about for its own job, the files of others are as safe as ever.
  @Test func damagedRowConcernsItsJobAlone() {
    var world = World()
    let second = Drop(number: 2, spool: "spools/in", name: "file-2.bin", size: 200)
    world.books.finished(second, second.version, at: .seconds(1))
    world.store(Array(world.drop.content(0).bytes.dropLast()))
    world.register()
    #expect(world.violations([]).count == 3)
    world.books.damage(id: "id-1", name: "file-1.bin", at: .seconds(2))
    #expect(world.violations([]).count == 1)
    let claim = WorldFacts.File(path: "spools/in/.waybill/id-1~file-1.bin", sum: world.drop.content(0).sum)
    #expect(world.books.leftovers(WorldFacts(files: [claim], jobs: []), world.servers) == [])
  }

  @Test func detectsFloodOfQuestions() {
    var books = World().books
    func flood(_ jobs: [Int64], isOfDestination: Bool = false, causes: Int = 1) -> Bool {
      let log = jobs.map { LoggedQuestion(job: abs($0), isAsked: $0 > 0, isOfDestination: isOfDestination) }
      return books.flood(of: log, causes: causes) != nil
    }
    #expect(!flood([1, 2, 3]), "each about itself")
    #expect(flood([1, 2, 1]) && !flood([1, 2, -1, 1]), "something has happened to it")
    #expect(flood([1, 2], isOfDestination: true) && !flood([1, 2], isOfDestination: true, causes: 2))
    books.commands += 1
    #expect(!flood([1, 2], isOfDestination: true))
  }
}
