import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What users rely on and the unit's restrictions could break: system calls, capabilities, mounts and directories of its own. One machine
/// has a spool for each way.
@Suite(.slot, .needs(.systemd, .nginx))
struct ServiceWorkTests {
  private static let medium = "/srv/medium"
  private static let elsewhere = "/srv/elsewhere"

  private static func spool(_ name: String) -> String { "/var/spool/waybill/" + name }

  /// The spools beside `documents` and the medium, with the lines of their sections.
  private static let spools = [
    "tree": "recursive = true", "group": "marker = \"done.txt\"", "pair": "sidecar = \"{name}.json\"", "secure": "",
    "archived": "after = \"archive\"\narchive = \"\(elsewhere)/kept\"",
    "disk": "after = \"archive\"\narchive = \"\(spool("kept"))\"",
  ]

  private static func section(_ name: String, path: String, _ lines: String) -> String {
    """
    [[spool]]
    name = "\(name)"
    path = "\(path)"
    storage = "\(name == "secure" ? "secure" : "main")"
    backend = "main"
    settle = "50ms"
    settle_unseen = "200ms"
    \(lines)

    """
  }

  private static func adjust(_ setup: inout ServiceSetup, secure: Int, metrics: Int) {
    setup.daemonLines = ["metrics = \"127.0.0.1:\(metrics)\""]
    setup.constants["settle_open"] = "\"500ms\""
    let sections = spools.map { section($0.key, path: spool($0.key), $0.value) }
    let storage = """
      [storage.secure]
      endpoint = "https://127.0.0.1:\(secure)"
      region = "\(setup.storage.region)"
      bucket = "\(setup.storage.bucket)"
      part_size = "5MiB"
      \(setup.keyLines.joined(separator: "\n"))

      """
    setup.spoolLines =
      ["storage = \"main\"", "backend = \"main\""] + sections
      + [section("medium", path: medium, "after = \"keep\"\nscan_interval = \"1h\""), storage]
  }

  @Test func unitForbidsNothingThatUsersNeed() async throws {
    let certificates = try await ClientCertificates()
    defer { certificates.folder.remove() }
    let (secure, metrics) = (Ports.free(), Ports.free())
    try await withService({ Self.adjust(&$0, secure: secure, metrics: metrics) }) { rig in
      let nginx = try await NginxProxy(
        serving: """
          listen 127.0.0.1:\(secure) ssl;
          ssl_certificate \(certificates.file("server.pem"));
          ssl_certificate_key \(certificates.file("server.key"));
          client_max_body_size 0;
          location / { proxy_pass http://127.0.0.1:\(rig.sandbox.port); proxy_set_header Host $http_host; }
          """, in: certificates.folder.url)
      defer { nginx.cut() }
      try await prepare(rig, certificates)
      try await rig.service.start()
      try await takeFiles(rig)
      try await takeTreesAndGroups(rig)
      try await archive(rig)
      try await add(rig)
      try await release(rig)
      try await refuseArchiveThatGoesWithService(rig)
      try await sendFromMedium(rig)
      for probe in ["healthz", "readyz"] {
        #expect(try await HTTPAnswer.call("GET", "http://127.0.0.1:\(metrics)/\(probe)").status == 200, "\(probe)")
      }
      let figures = try await HTTPAnswer.call("GET", "http://127.0.0.1:\(metrics)/metrics").body
      #expect(figures.contains("waybill_jobs{"), "\(figures.prefix(2000))")
      try await until("no problem") { try await rig.service.status().problems == [] }
      #expect(try await rig.service.property("NRestarts") == "0")
    }
  }

  private func mount(_ path: String, _ rig: ServiceRig) async throws {
    try await rig.machine.require("mkdir", "-p", path)
    try await rig.machine.require("mount", "-t", "tmpfs", "-o", "size=16m", "disk", path)
  }

  /// Makes the directories, and adds the authority of a certificate to the system's.
  private func prepare(_ rig: ServiceRig, _ certificates: ClientCertificates) async throws {
    let machine = rig.machine
    let authority = try String(contentsOfFile: certificates.file("ca.pem"), encoding: .utf8)
    try machine.write("/usr/local/share/ca-certificates/test.crt", authority)
    try await machine.require("update-ca-certificates")
    try await machine.dropIn("elsewhere", for: rig.service.unit, "[Service]\nReadWritePaths=-\(Self.elsewhere)\n")
    // One who drops files and asks for them.
    try await machine.require("usermod", "-a", "-G", "waybill", SystemdMachine.dropperName)
    for path in [Self.spool("disk"), Self.medium] { try await mount(path, rig) }
    let others = ["kept", "returned", "lost", "found"].map(Self.spool) + [Self.elsewhere + "/kept"]
    for path in Self.spools.keys.map(Self.spool) + others { try await rig.openSpool(path) }
  }

  private func drop(_ script: String, in spool: String, _ rig: ServiceRig) async throws {
    try await rig.machine.require(
      ["sh", "-ec", "cd \"$0\"; eval \"$1\"", Self.spool(spool), script], as: SystemdMachine.dropperName)
  }

  /// Waits until a file is registered, and compares what the servers have: these bytes, and one registration.
  @discardableResult
  private func expectRegistered(_ name: String, _ text: String, _ rig: ServiceRig) async throws -> JSONValue {
    let job = try await rig.service.job(named: name, in: "registered")
    let object = try await rig.sandbox.objects()[job.key.string ?? ""]
    let sum = try await Bytes.sha256(Data(text.utf8))
    #expect(object?.sha256.string == sum, "\(name): \(job)")
    let bodies = try rig.sandbox.registrations().map(\.body).filter { $0.id == job.id }
    #expect(bodies.count == 1, "\(name): \(bodies)")
    return job
  }

  /// Files that are for nobody but their dropper by the mode that they are made with, with attributes, and in parts over TLS.
  private func takeFiles(_ rig: ServiceRig) async throws {
    let script = "umask 077; printf secret > .x && mv .x secret.pdf; printf 'in place' > 'Übung 表.pdf'"
    try await drop(script, in: "documents", rig)
    try await expectRegistered("secret.pdf", "secret", rig)
    try await expectRegistered("Übung 表.pdf", "in place", rig)

    try await drop("printf attributes > .y", in: "documents", rig)
    let path = rig.machine.outside(Self.spool("documents") + "/.y")
    let attribute = "import os, sys; os.setxattr(sys.argv[1], 'user.waybill.case', sys.argv[2].encode())"
    try await Command.require([try await Products.python.value, "-c", attribute, path, "881 ü"])
    try await drop("mv .y attributes.pdf", in: "documents", rig)
    #expect(try await expectRegistered("attributes.pdf", "attributes", rig).metadata == ["case": "881 ü"])

    let size = 11 << 20
    try await drop("yes | head -c \(size) > .x && mv .x parts.pdf", in: "secure", rig)
    try await expectRegistered("parts.pdf", String(repeating: "y\n", count: size / 2), rig)
    #expect(try await rig.sandbox.count("complete") == 1)
  }

  private func takeTreesAndGroups(_ rig: ServiceRig) async throws {
    let tree = "mkdir -p .t/deep/er; printf one > .t/one.pdf; printf two > .t/deep/er/two.pdf; mv .t t"
    try await drop(tree, in: "tree", rig)
    for (name, text) in [("one.pdf", "one"), ("two.pdf", "two")] { try await expectRegistered(name, text, rig) }

    try await drop(#"printf document > scan.pdf; printf '{"case": "881"}' > scan.pdf.json"#, in: "pair", rig)
    #expect(try await expectRegistered("scan.pdf", "document", rig).metadata == ["case": "881"])

    let group = "mkdir -p run/data/deep; printf a > run/a; printf b > run/data/deep/b; printf . > run/done.txt"
    try await drop(group, in: "group", rig)
    #expect(try await rig.service.job(named: "run", in: "registered").files == ["stored": 2, "all": 2])
  }

  /// Archives to which no file can be renamed: on another file system, and behind another of the unit's mounts of the same one.
  private func archive(_ rig: ServiceRig) async throws {
    for (spool, archive) in [("archived", Self.elsewhere + "/kept"), ("disk", Self.spool("kept"))] {
      try await drop("printf \(spool) > .x && mv .x \(spool).pdf", in: spool, rig)
      try await expectRegistered("\(spool).pdf", spool, rig)
      try await until("the file to be archived") { rig.machine.has("\(archive)/\(spool).pdf") }
      #expect(try rig.machine.read("\(archive)/\(spool).pdf") == spool)
    }
  }

  private func add(_ rig: ServiceRig) async throws {
    let mine = Self.elsewhere + "/mine.pdf"
    try rig.machine.write(mine, "my own")
    let words = ["waybill", "add", mine, "--spool", "documents", "--name", "added.pdf", "--meta", "case=7", "--wait"]
    try await rig.machine.require(words, as: SystemdMachine.dropperName)
    #expect(try await expectRegistered("added.pdf", "my own", rig).metadata == ["case": "7"])
  }

  /// Directories of the service's own and of the system do not get a file that is given back.
  private func release(_ rig: ServiceRig) async throws {
    func waybill(_ words: String...) async throws -> Command {
      try await rig.machine.run(["waybill"] + words, as: SystemdMachine.operatorName)
    }
    #expect(try await waybill("pause", "--spool", "tree").status == 0)
    try await drop("printf back > .x && mv .x back.pdf", in: "tree", rig)
    let number = String(try await rig.service.job(named: "back.pdf", in: "queued").job.int ?? 0)
    #expect(try await waybill("cancel", number).status == 0)
    #expect(try await waybill("resume", "--spool", "tree").status == 0)
    for folder in ["/none", Self.spool("tree"), "/tmp", "/var/tmp", "/etc"] {
      let refused = try await waybill("release", number, "--to", folder)
      #expect(refused.status == 1 && !refused.errors.isEmpty, "\(folder): \(refused)")
    }
    let released = try await waybill("release", number, "--to", Self.spool("returned"))
    #expect(released.status == 0, "\(released)")
    #expect(try rig.machine.read(Self.spool("returned") + "/back.pdf") == "back")
  }

  /// The unit's `/tmp` is another one than everybody else's.
  private func refuseArchiveThatGoesWithService(_ rig: ServiceRig) async throws {
    func reload(archive: String) async throws -> Command {
      let lines = "after = \"archive\"\narchive = \"\(archive)\""
      try rig.machine.write(
        "/etc/waybill/waybill.d/lost.toml", Self.section("lost", path: Self.spool("lost"), lines))
      return try await rig.machine.run("waybill", "reload")
    }
    #expect(try await reload(archive: "/tmp").status == 0)
    try await drop("echo kept > .kept; mv .kept kept.pdf", in: "lost", rig)
    try await until("the registered file is said to be still there") {
      try await rig.service.status().problems.array.map { $0.what.string ?? "" }
        .contains { $0.contains("kept.pdf") && $0.contains("PrivateTmp=") }
    }
    // With an archive that stays, the file goes there.
    let right = try await reload(archive: Self.spool("found"))
    #expect(right.status == 0, "\(right)")
    try await until("the problem to be over") { try await rig.service.status().problems == [] }
    #expect(rig.machine.has(Self.spool("found") + "/kept.pdf"))
  }

  /// Files that stay where they are, on a medium that is pulled and put in again.
  private func sendFromMedium(_ rig: ServiceRig) async throws {
    func put(_ name: String, _ text: String) async throws {
      let script = #"printf %s "$1" > "$0/.new"; chmod 644 "$0/.new"; mv "$0/.new" "$0/$2""#
      try await rig.machine.require("sh", "-ec", script, Self.medium, text, name)
    }
    try await put("photo.jpg", "one")
    try await expectRegistered("photo.jpg", "one", rig)
    #expect(rig.machine.has(Self.medium + "/photo.jpg"))
    // An upload may have it open for a moment.
    try await until("the medium to be pulled") { try await rig.machine.run("umount", Self.medium).status == 0 }
    try await until("its loss to be told") {
      try await rig.service.entries("WAYBILL_EVENT=spool-problem").contains {
        $0.WAYBILL_SPOOL == "medium" && $0.MESSAGE.string?.contains("was removed, replaced or unmounted") == true
      }
    }
    try await mount(Self.medium, rig)
    try await put("other.jpg", "three")
    try await expectRegistered("other.jpg", "three", rig)
  }
}
