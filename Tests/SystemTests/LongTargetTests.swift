import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// Scripts behind the targets that run only on demand: what they find fails them, and what they start ends with them.
///
/// A program named `swift` stands in for the real one where a script would build, or run tests within these: it notes what it is
/// asked for. So not seen here are a build with sanitizers, one with libFuzzer, and a release build.
@Suite(.slot)
struct LongTargetTests {
  /// A folder with a stand-in for `swift` in it.
  private struct Bench {
    let folder: TemporaryFolder
    var environment: [String: String] = [:]

    /// `test` are the lines that stand for `swift test`.
    init(test: String = ":") throws {
      folder = try TemporaryFolder()
      let words = """
        #!/bin/bash
        echo "$* $(env | grep -E '^(WAYBILL_|FILES=|SEED=)' | sort | paste -sd ' ')" >> '\(folder.file("asked"))'
        case "$*" in
          *"-c release"*--show-bin-path*) echo '\(folder.file("release"))' ;;
          *--show-bin-path*) echo '\(folder.file("debug"))' ;;
          test*) \(test) ;;
        esac
        """
      try write("bin/swift", words)
      for build in ["debug", "release"] { try write("\(build)/waybilld", "a program") }
      environment["PATH"] = folder.file("bin") + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    }

    func write(_ path: String, _ text: String) throws {
      let file = folder.url.appending(path: path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }

    /// The calls of the stand-in.
    func asked() throws -> [String] {
      try String(contentsOf: folder.url.appending(path: "asked"), encoding: .utf8).split(separator: "\n").map(
        String.init)
    }

    func run(_ words: String..., with more: [String: String] = [:]) async throws -> Command {
      let words = words.map { $0.hasPrefix("scripts/") ? Products.source($0) : $0 }
      return try await Command.run(words, environment: environment.merging(more) { $1 })
    }
  }

  /// Two rounds: in the first one a test fails, in the second one nothing runs. The list that `swift test` would write is in
  /// the stand-in's words.
  @Test func huntReportsFailuresWithSeed() async throws {
    let bench = try Bench(
      test: """
        while [ "$1" != --xunit-output ]; do shift; done
        [ "$WAYBILL_TEST_SEED" = 8 ] || exit 0
        failure='<failure message="it was late" />'
        echo '✘ Test isLate() recorded an issue at A.swift:1:2: Expectation failed'
        printf '<testsuites><testcase classname="A.BTests" name="%s" >%s</testcase><testcase classname="A.BTests" name="x()" />%s' \
          'isLate()' "$failure" '</testsuites>' > "$2"
        exit 1
        """)
    defer { bench.folder.remove() }
    let trouble = ["PREPARED": "yes", "N": "2", "SEED": "8", "FILTER": "BTests", "TROUBLES": "stops pauses"]
    let reports = bench.folder.file("reports")
    let hunt = try await bench.run("scripts/test-hunt", with: trouble.merging(["REPORTS": reports]) { $1 })
    #expect(hunt.status == 1, "\(hunt)")
    for words in [
      "2 round(s) from SEED=8 with all of the CPU time; troubles: stops pauses\n",
      "SEED=8: 1 passed, 1 failed, 0 not run\n",
      "SEED=9: 0 passed, 0 failed, 0 not run\n", "the run itself failed or had no tests (BTests)",
      "1 of 2: BTests/isLate(), with the seeds 8\n    make test-hunt SEED=8 FILTER='BTests/isLate'\n",
    ] { #expect(hunt.output.contains(words), "\(words): \(hunt)") }
    let asked = try bench.asked()
    #expect(asked.count == 2 && asked.allSatisfy { $0.contains("WAYBILL_TEST_HUNT=stops,pauses") }, "\(asked)")
    #expect(asked.last?.contains("--filter BTests") == true && asked.last?.contains("WAYBILL_TEST_SEED=9") == true)
    let other = try await bench.run("scripts/test-hunt", with: ["PREPARED": "yes", "TROUBLES": "noise"])
    #expect(other.status == 2 && other.errors == "there is no trouble 'noise'\n", "\(other)")
  }

  /// The test program of `swift test` is in a process group of its own, and does not end with it. The one here ends by nothing but
  /// SIGKILL.
  @Test(arguments: [("scripts/test", SIGTERM), ("scripts/test-hunt", SIGINT)])
  func endedRunLeavesNothing(_ script: String, _ signal: Int32) async throws {
    let bench = try Bench(
      test: """
        set -m
        (trap '' TERM; while :; do sleep 1; done) &
        echo "$! $TMPDIR" > "${0%/*}/new"
        mv "${0%/*}/new" "${0%/*}/program"
        wait
        """)
    defer { bench.folder.remove() }
    // A folder of its own is meant, and not that of this run.
    let more = [
      "PREPARED": "yes", "REPORTS": bench.folder.file("reports"), "TROUBLES": "pauses", "WAYBILL_TEST_FOLDER": "",
    ]
    let run = try ChildProcess([Products.source(script)], environment: bench.environment.merging(more) { $1 })
    let notes = bench.folder.file("bin/program")
    try await until("the test program") { FileManager.default.fileExists(atPath: notes) }
    let words = try String(contentsOfFile: notes, encoding: .utf8).split { " \n".contains($0) }.map(String.init)
    let program = try #require(words.first.flatMap { Int32($0) })
    defer { kill(program, SIGKILL) }
    run.signal(signal)
    #expect(try await run.end() == .exit(128 + signal), "\(run.errorText)")
    // A zombie is ended too.
    let stat = (try? String(contentsOfFile: "/proc/\(program)/stat", encoding: .utf8)) ?? ") Z"
    #expect(stat.contains(") Z"), "\(stat)")
    #expect(words.count == 2 && !FileManager.default.fileExists(atPath: words[1]), "\(words)")
  }

  @Test func untestedSyncFailsRun() async throws {
    let bench = try Bench(
      test: """
        echo "Test run with 4 tests in 1 suite passed"
        case ${WAYBILL_WITHOUT_SYNC:-} in claims) echo "✘ Test aClaim() failed"; exit 1 ;; esac
        """)
    defer { bench.folder.remove() }
    let seen = try await bench.run("scripts/without-each-sync", "claims", with: ["PREPARED": "yes"])
    #expect(seen.status == 0 && seen.output == "without claims: aClaim\n", "\(seen)")
    let unseen = try await bench.run("scripts/without-each-sync", "claims", "archive", with: ["PREPARED": "yes"])
    #expect(unseen.status == 1 && unseen.errors == "not seen by any test: archive\n", "\(unseen)")
    // All of them, by their names in the source.
    _ = try await bench.run("scripts/without-each-sync", with: ["PREPARED": "yes"])
    let names = Set(
      try bench.asked().flatMap { $0.split(separator: " ") }.filter { $0.hasPrefix("WAYBILL_WITHOUT_SYNC=") })
    #expect(names.count > 10, "\(names)")
  }

  @Test func fuzzerFindingFailsRun() async throws {
    let bench = try Bench()
    defer { bench.folder.remove() }
    let found = bench.folder.file("found")
    try bench.write(
      "fuzzer",
      "#!/bin/sh\necho \"stat::number_of_executed_units: 9\"\necho \"$TARGET $*\" >> '\(bench.folder.file("fuzzed"))'\n"
    )
    let environment = ["FUZZER": bench.folder.file("fuzzer"), "FOUND": found, "SECONDS_EACH": "1"]
    let all = try await bench.run("scripts/fuzz", with: environment)
    #expect(all.status == 0, "\(all)")
    let corpora = try FileManager.default.contentsOfDirectory(atPath: Products.source("Tests/Fuzzing/Corpus"))
    #expect(all.output.split(separator: "\n").filter { $0.hasPrefix("== ") }.count == corpora.count, "\(all)")
    let fuzzed = try String(contentsOf: bench.folder.url.appending(path: "fuzzed"), encoding: .utf8)
    #expect(fuzzed.contains("-max_total_time=1 "), "\(fuzzed)")
    try bench.write("found/crash-1", "bytes")
    let crashed = try await bench.run("scripts/fuzz", corpora[0], with: environment)
    #expect(crashed.status == 1, "\(crashed)")
  }

  @Test func sanitizerReportFailsRun() async throws {
    let bench = try Bench()
    defer { bench.folder.remove() }
    try bench.write(
      "suite",
      "#!/bin/sh\necho \"$WAYBILL_SANITIZER $WAYBILL_SANITIZER_PRELOAD $*\"\n[ -z \"$REPORT\" ] || echo race > \"${TSAN_OPTIONS##*log_path=}.1\"\n"
    )
    var environment = ["SUITE": bench.folder.file("suite"), "BUILDS": bench.folder.path, "FILTER": "Some"]
    // The stand-in builds nothing, and what is preloaded is built by the real compiler.
    let clean = try await bench.run("scripts/sanitize", "thread", "address", with: environment)
    #expect(clean.status == 0, "\(clean)")
    let lines = clean.output.split(separator: "\n")
    let preloaded = [".build-thread/locks.so", ".build-thread/continuations.so"].map(bench.folder.file)
    #expect(
      lines == [
        "== thread", "thread \(preloaded.joined(separator: ":")) --filter Some", "== address", "address  --filter Some",
      ])
    for library in preloaded { #expect(FileManager.default.fileExists(atPath: library)) }
    environment["REPORT"] = "yes"
    let reported = try await bench.run("scripts/sanitize", "thread", with: environment)
    #expect(reported.status == 1 && reported.output.contains("thread sanitizer reported:\nrace"), "\(reported)")
  }
}
