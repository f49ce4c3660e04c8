import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// One file each, written as real programs write, with pauses that are longer than any time of settling but that of files that may be open, by
/// another user than the daemon's: nothing is taken before its writer has gone, and then all of it is, once.
@Suite(.slot, .needs(.testUsers, .lease, .samba, .ftp))
struct SlowWriterTests {
  /// A way of writing `$f`. `pause` waits until the test says that enough time has passed.
  struct Way: Sendable {
    let name: String
    let script: String
    var content = "one\ntwo\n"
    /// Whether, where nobody can be asked, it is taken by that time alone, since no closing tells of it.
    var waitsForSettleOpen = false
    /// Whether it takes the default ACL away, so that the daemon may not read the file and has to ask.
    var takesRightAway = false
  }

  static let ways = [
    Way(name: "a shell that keeps it open", script: "exec 3> $f; pause; echo one >&3; pause; echo two >&3; pause"),
    Way(
      name: "a reader before the first write",
      script: "exec 3> $f; cat $f; pause; echo one >&3; cat $f >&2; pause; echo two >&3; pause"),
    Way(
      name: "tail -f on it",
      script: "exec 3> $f; tail -f $f >&2 & pause; echo one >&3; pause; kill $!; wait $! || :; pause; echo two >&3"),
    Way(
      name: "touch while it is written",
      script: "exec 3> $f; echo one >&3; touch $f; pause; echo two >&3; touch $f; pause"),
    Way(name: "a second appender", script: "exec 3>> $f; echo one >&3; echo two >> $f; pause; pause"),
    Way(name: "a placeholder", script: ": > $f; cat $f; exec 3> $f; pause; echo one >&3; pause; echo two >&3"),
    Way(name: "closed and opened again at once", script: "echo one > $f; exec 3>> $f; pause; echo two >&3; pause"),
    Way(
      name: "written over while it is written",
      script: "exec 3> $f; echo old >&3; pause; echo one > $f; pause; exec 3>> $f; echo two >&3; pause"),
    Way(
      name: "space set aside first",
      script: "fallocate -l 8 $f; exec 3<> $f; pause; echo one >&3; pause; echo two >&3; pause"),
    Way(name: "mapped into memory", script: "$python $dropper map $f"),
    Way(
      name: "truncate(2) by its path, and a reader",
      script: "echo one > $f; $python $dropper truncate $f 8; tail -f --pid=$tester $f >&2 &",
      content: "one\n\0\0\0\0", waitsForSettleOpen: true),
    Way(
      name: "renamed from a hidden name while it is open",
      script: "exec 3> .$f; echo one >&3; mv .$f $f; pause; echo two >&3; pause"),
    Way(
      name: "renamed from another name while it is open",
      script: "exec 3> y$f; echo one >&3; mv y$f $f; pause; echo two >&3; pause"),
    Way(
      name: "linked in while it is open",
      script: "exec 3> .$f; ln .$f $f; rm .$f; pause; echo one >&3; pause; echo two >&3; pause",
      waitsForSettleOpen: true),
    Way(name: "linked in when it is closed", script: "printf 'one\\ntwo\\n' > .$f; ln .$f $f; rm .$f"),
    Way(name: "cp", script: "printf 'one\\ntwo\\n' > $outside/$f; cp $outside/$f $f"),
    Way(
      name: "cp with times",
      script:
        "printf 'one\\ntwo\\n' > $outside/$f; touch -d 2001-01-01 $outside/$f; cp --preserve=timestamps $outside/$f $f"),
    Way(
      name: "install", script: "printf 'one\\ntwo\\n' > $outside/$f; install -m 660 $outside/$f $f",
      takesRightAway: true),
    Way(
      name: "mv from another file system",
      script: "printf 'one\\ntwo\\n' > $memory/$f; chmod 660 $memory/$f; mv $memory/$f $f", takesRightAway: true),
    Way(
      name: "cp -p", script: "printf 'one\\ntwo\\n' > $outside/$f; chmod 640 $outside/$f; cp -p $outside/$f $f",
      takesRightAway: true),
    Way(name: "dd", script: "(echo one; pause; echo two; pause) | dd of=$f bs=1 status=none"),
    Way(name: "tee", script: "(echo one; pause; echo two; pause) | tee $f >&2"),
    Way(name: "gzip", script: "printf 'one\\ntwo\\n' | gzip > .$f.gz; gunzip .$f.gz; mv .$f $f"),
    Way(name: "sed -i", script: "echo one > .$f; sed -i 's/$/\\ntwo/' .$f; mv .$f $f"),
    Way(name: "ed", script: "printf 'a\\none\\ntwo\\n.\\nw\\nq\\n' | ed -s $f"),
    Way(name: "vim", script: "printf 'a\\none\\ntwo\\n.\\nwq\\n' | vim.tiny -u NONE -N -es $f"),
    Way(
      name: "FTP, and a download meanwhile",
      script: "(echo one; pause; curl -sS $ftp/$f >&2; echo two; pause) | curl -sS -T - $ftp/$f"),
    Way(name: "FTP, twice", script: "echo one | curl -sS -T - $ftp/$f; (echo two; pause) | curl -sS -a -T - $ftp/$f"),
    Way(name: "Samba", script: "(echo one; pause; echo two; pause) | $smb \"put - $f\" >&2"),
    Way(
      name: "Samba's placeholder",
      script: ": > $outside/$f; $smb \"put $outside/$f $f\" >&2; (echo one; pause; echo two) | $smb \"put - $f\" >&2"),
  ]

  /// Its program, and how often it was let go on.
  private struct Writer {
    let way: Way
    let file: String
    let child: ChildProcess
    var rounds = 0

    /// Waits until it pauses anew or has ended; whether it has ended.
    func comesToRest() async throws -> Bool {
      try await until("\(way.name) to pause or to end") {
        // In this order: what it wrote before its end is seen.
        let hasEnded = try child.ending() != nil
        return hasEnded || child.outputText.count(where: { $0 == "." }) > rounds ? hasEnded : nil
      }
    }
  }

  private static let prologue = """
    cd "$1"; outside=$2; memory=$3; python=$4; dropper=$5; ftp=$6; smb=$7; tester=$8; f=$9; umask 007; exec 9>&1
    pause() { printf . >&9; read -r _; }

    """

  private func start(_ rig: Rig, memory: URL, ftp: FTPServer, smb: WindowsShare) async throws
    -> [Writer]
  {
    let outside = try rig.folder.madeFolder("outside")
    try await Command.require(["chown", OtherUser.dropper.name, outside.path, memory.path])
    let shared = [
      rig.setup.spool.path, outside.path, memory.path, "/usr/bin/python3", Products.support("dropper.py"),
      ftp.address(""), smb.words.joined(separator: " "), String(getpid()),
    ]
    return try Self.ways.enumerated().map { index, way in
      let file = "w\(index)"
      let words = Products.unpacked("clients") + ["bash", "-euc", Self.prologue + way.script, "_"] + shared + [file]
      let child = try ChildProcess(OtherUser.dropper.words(words), input: .written, folder: rig.folder, log: file)
      return Writer(way: way, file: file, child: child)
    }
  }

  @Test(arguments: [true, false]) func waitsForSlowWriters(leases: Bool) async throws {
    try await withRig(
      users: OtherUsers(leases: leases),
      {
        $0.settle = "2s"
        $0.settleUnseen = "2s"
        $0.settleOpen = "45s"
        $0.settleEmpty = "30s"
        $0.spoolLines = ["scan_interval = \"1s\""]
      }
    ) { rig in
      let memory = try TemporaryFolder(inMemory: true)
      let ftp = try await FTPServer(for: .dropper, path: rig.setup.spool, in: rig.folder)
      let smb = try await WindowsShare(for: .dropper, path: rig.setup.spool, in: rig.folder)
      #expect(try await rig.daemon.status().spools.array.first?.readiness == ["renamed", "closed", "lease", "still"])
      let report = try await rig.daemon.waybill("status", "--long").output
      #expect(report.contains("CAP_LEASE is missing") != leases, "\(report)")
      let begun = Date()
      let writers = try await self.start(rig, memory: memory.url, ftp: ftp, smb: smb)
      defer { for writer in writers { writer.child.cut() } }
      try await letThemWrite(writers, rig)
      for writer in writers where leases || !writer.way.waitsForSettleOpen {
        let state = writer.way.takesRightAway ? "awaiting-confirmation" : "registered"
        let job = try await rig.daemon.job(named: writer.file, in: state)
        #expect(
          !writer.way.takesRightAway || job.error.message.string?.contains("the right to read it") == true, "\(job)")
      }
      try await expectAll(writers, rig)
      guard !leases else { return }
      let late = writers.filter(\.way.waitsForSettleOpen)
      for job in try await rig.daemon.jobs() where late.contains(where: { $0.file == job.name.string }) {
        let taken = try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(job.created_at.string ?? "")
        #expect(taken.timeIntervalSince(begun) >= 45, "taken too early: \(job)")
      }
    }
  }

  /// Lets time pass and all go on, again and again, until each has ended.
  private func letThemWrite(_ all: [Writer], _ rig: Rig) async throws {
    var writers = all
    while !writers.isEmpty {
      for index in writers.indices.reversed() where try await writers[index].comesToRest() {
        let writer = writers.remove(at: index)
        let result = try await writer.child.result()
        #expect(result.status == 0, "\(writer.way.name): \(result.errors)")
      }
      let moment = ContinuousClock.now
      try await until("more than settle_unseen to pass") { ContinuousClock.now - moment > .seconds(5) }
      for _ in 0..<2 { try await rig.daemon.nextScan() }
      let jobs = try await rig.daemon.jobs().compactMap(\.name.string)
      let early = writers.filter { jobs.contains($0.file) }
      #expect(early.map(\.way.name) == [], "taken while they are being written")
      for index in writers.indices {
        writers[index].rounds += 1
        try writers[index].child.write("\n")
      }
    }
  }

  /// Each file once, with all of its bytes, and nothing else.
  private func expectAll(_ writers: [Writer], _ rig: Rig) async throws {
    let readable = writers.filter { !$0.way.takesRightAway }
    try await until("the registrations") { try await rig.daemon.count("registered") >= readable.count }
    let bodies = try rig.sandbox.registrations().map(\.body)
    for writer in readable {
      let sums = bodies.filter { $0.name.string == writer.file }.map(\.sha256.string)
      let text = writer.way.content
      let sum = try await Command.run(["sha256sum"], input: Data(text.utf8)).output.prefix(64)
      #expect(sums == [String(sum)], "\(writer.way.name)")
    }
    #expect(bodies.count == readable.count)
    #expect(try await rig.daemon.jobs().count == writers.count)
  }
}
