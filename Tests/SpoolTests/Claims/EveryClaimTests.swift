import Seams

#if DEBUG
  import ChildProcesses
  import Foundation
  import Glibc
  import Jobs
  import Linux
  import Synchronization
  import Testing

  @testable import Spool

  /// Each call on a file that a claim makes fails once. What was to be claimed is then claimed with all that belongs to it, or it is in
  /// the spool as before, or it is known to be in `.waybill`.
  @Suite(.slot, .bounded) struct EveryClaimTests {
    enum Kind: CaseIterable {
      case file, nested, pair, group, inPlace

      var options: (inout SpoolOptions) throws -> Void {
        switch self {
        case .file: { _ in }
        case .nested: { $0.recursive = true }
        case .pair: { $0.sidecar = try SidecarPattern("{name}.json") }
        case .group: { $0.group = "*.done" }
        case .inPlace: { ($0.recursive, $0.after) = (true, .keep) }
        }
      }

      var name: FileName {
        FileName(self == .nested || self == .inPlace ? "sub/a.pdf" : self == .group ? "run" : "a.pdf")
      }

      var paths: [String] {
        switch self {
        case .file: ["a.pdf"]
        case .nested, .inPlace: ["sub/a.pdf"]
        case .pair: ["a.pdf", "a.pdf.json"]
        case .group: ["run/1", "run/sub/2", "run/x.done"]
        }
      }
    }

    static let errors = ["EIO", "ENOMEM", "EMFILE"]
    static let attributes = ["user.mime_type": Array("text/plain".utf8), "user.waybill.n": Array("1".utf8)]

    private static func drop(_ kind: Kind, asking id: JobID? = nil) throws -> (Place, SpoolOptions) {
      let place = try Place()
      var options = place.options(settle: .milliseconds(5), settleUnseen: .milliseconds(5))
      try kind.options(&options)
      if kind == .inPlace { options.inPlaceState = try place.inPlaceState }
      options.scanInterval = .milliseconds(60)
      // A lease that cannot be asked for leaves it open who writes.
      options.settleOpen = .milliseconds(200)
      for path in kind.paths {
        let url = URL(filePath: place.path + "/" + path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        let folder = try Directory(path: url.deletingLastPathComponent().path)
        let file = try folder.create(Array(url.lastPathComponent.utf8), permissions: 0o600)
        try file.write(Array("{}".utf8), path: path)
        guard kind != .group, !path.hasSuffix(".json") else { continue }
        for (name, value) in attributes { try file.setAttribute(name, value, path: path) }
        if let id { try file.setAttribute("user.waybill.id", Array(id.description.utf8), path: path) }
      }
      return (place, options)
    }

    private static func isWhole(_ claim: Claim, _ kind: Kind) -> Bool {
      guard claim.dropped == kind.name, claim.unread == nil else { return false }
      switch kind {
      case .group: return claim.group?.files == 2 && claim.identity.size == 4
      case .pair where claim.sidecar?.content != .bytes(Array("{}".utf8)): return false
      case .inPlace where claim.kept?.identity != claim.identity: return false
      case .file, .nested, .pair, .inPlace:
        return claim.attributes.filter { $0.key != "user.waybill.id" } == attributes
      }
    }

    @Test(arguments: [Kind.file, .nested, .group], errors)
    func failedCallLeavesOneKnownPlace(kind: Kind, error: String) throws {
      for number in 1... {
        let (place, options) = try Self.drop(kind)
        let held = try SpoolDirectory(options).held()
        let folder = kind == .nested ? try held.spool.directory(below: Array("sub".utf8)) : try held.spool
        let id = JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 0x9E4F_0123_4567_89AB)
        let calls = try #require(FailingCalls(plan: "\(number)=\(error)"))
        let taking: LockedSpool.Taking?
        do {
          taking = try calls.watch {
            if kind == .group { return try held.claimGroup(kind.name, as: id, marker: "*.done") }
            return try held.claim(kind.name, from: folder, as: id)
          }
        } catch is FileError {
          taking = nil
        }
        let isInSpool = FileManager.default.fileExists(atPath: "\(place.path)/\(kind.name.text)")
        switch taking {
        case .taken(let claim, _): #expect(Self.isWhole(claim, kind) && !isInSpool, "call \(number): \(claim)")
        case .unseen: #expect(try held.stands(ClaimReference(id, kind.name)) != isInSpool, "call \(number)")
        case nil: #expect(isInSpool, "call \(number)")
        case .gone, .notAFile: Issue.record("call \(number): \(String(describing: taking))")
        }
        guard calls.hasFailed else { break }
      }
    }

    /// A file whose attributes cannot be read, and will not be later, is a question of its own: at a start it holds up no other.
    @Test(arguments: ["EPERM", "EINVAL", "E2BIG"]) func lastingFailureHoldsUpNoOther(error: String) throws {
      let (place, options) = try Self.drop(.file)
      let held = try SpoolDirectory(options).held()
      _ = try held.claim(Kind.file.name, from: held.spool, as: JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 1))
      func listed(_ calls: FailingCalls) throws -> (claims: [Claim], setAside: [SetAside]) {
        try calls.watch {
          let listing = try ClaimListing(held, marker: nil)
          var claims: [Claim] = []
          while let claim = try listing.next() { claims.append(claim) }
          return (claims, listing.setAside)
        }
      }
      let trace = place.root + "/trace"
      _ = try listed(try #require(FailingCalls(trace: trace)))
      let numbers = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").compactMap { line in
        line.contains("xattr:") ? line.split(separator: " ").first : nil
      }
      #expect(numbers.count > 2)
      for number in numbers {
        let (claims, setAside) = try listed(try #require(FailingCalls(plan: "\(number)=\(error)")))
        #expect(claims.count == 1 && setAside.isEmpty, "call \(number)")
      }
    }

    @Test(arguments: Kind.allCases, [false, true]) func claimsOnceWholeDespiteFailedCalls(
      kind: Kind, asks: Bool
    ) async throws {
      guard !(asks && kind == .group) else { return }
      let wanted = asks ? JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 0x9E4F_0123_4567_89AB) : nil
      let count = try await Self.run(kind, asking: wanted, failing: nil)
      #expect(count > 20)
      let numbers = (1...count + 4).filter { Seeds.takes($0, of: 3) }
      try await withThrowingDiscardingTaskGroup { group in
        for lane in 0..<6 {
          group.addTask {
            for number in numbers where number % 6 == lane {
              _ = try await Self.run(kind, asking: wanted, failing: "\(number)=EIO")
            }
          }
        }
      }
    }

    /// Runs a spool until what was dropped is claimed, and returns the number of calls until then.
    private static func run(_ kind: Kind, asking wanted: JobID?, failing plan: String?) async throws -> Int {
      let (place, options) = try drop(kind, asking: wanted)
      let spool = try SpoolDirectory(options)
      let collector = Collector()
      let calls = try #require(FailingCalls(plan: plan))
      collector.hooks.beforeRoom = { calls.begin() }
      collector.hooks.jobless = { [collector] ids in
        ids.filter { id in !(collector.claims + collector.returned).contains { $0.id == id } }
      }
      if kind == .inPlace { collector.hooks.list = SentList() }
      let end = End()
      let count = try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          do { try await spool.run(collector) } catch { end.isFailure.store(error is SpoolProblem, ordering: .relaxed) }
        }
        try await until("it to be claimed with \(plan ?? "nothing failing")") {
          !collector.claims.isEmpty || !collector.returned.isEmpty
            || end.isFailure.load(ordering: .relaxed)
        }
        let count = Int(calls.count)
        group.cancelAll()
        return count
      }
      // Nobody tells when its thread has ended, which has a hand on it.
      kept.withLock { $0.append(calls) }
      var claims = collector.claims + collector.returned
      // An fsync that fails ends the daemon; the next start finds all of it.
      if claims.isEmpty { claims = try spool.claimed() }
      if claims.isEmpty {
        for sidecar in try spool.strandedSidecars().next(upTo: 2) { #expect(try spool.putBack(sidecar) == nil) }
        #expect(try place.left == kind.paths, "\(plan ?? "")")
        return count
      }
      // A claim may be handed over again.
      #expect(
        Set(claims.map(\.id)).count == 1 && claims.allSatisfy { isWhole($0, kind) && $0.wantedID == wanted },
        "\(plan ?? ""): \(claims), \(collector.problems)")
      // A claim that is handed over later gets the id from the recovery.
      if let wanted { #expect(collector.claims.allSatisfy { $0.id == wanted }, "\(plan ?? "")") }
      if kind == .inPlace {
        #expect(FileManager.default.fileExists(atPath: place.path + "/sub/a.pdf") && claims.count == 1, "\(plan ?? "")")
      } else {
        #expect(try place.left.filter { $0 != "sub" } == [], "\(plan ?? "")")
      }
      return count
    }

    private final class End: Sendable {
      let isFailure = Atomic(false)
    }

    private static let kept = Mutex<[FailingCalls]>([])
  }

  /// Each call on a file that opening a spool makes fails.
  @Suite(.slot, .bounded, .aside) struct EveryCallTests {
    @Test(arguments: ["EIO", "EMFILE", "ENOSPC", "ESTALE", "ENOLCK", "EINTR"])
    func transientOpenFailureLeavesNothing(error: String) throws {
      for number in 1... {
        let place = try Place()
        let calls = try #require(FailingCalls(plan: "\(number)=\(error)"))
        do {
          _ = try calls.watch { try SpoolDirectory(place.options()) }
        } catch let problem as SpoolProblem {
          #expect(problem.errno.map(FileError.mayPass) == true, "call \(number): \(problem)")
          #expect(problem.description.contains(place.path))
        }
        guard calls.hasFailed else { break }
        _ = try SpoolDirectory(place.options())
        #expect(try place.claimed == [])
        #expect(try place.left == [])
      }
    }
  }
#endif
