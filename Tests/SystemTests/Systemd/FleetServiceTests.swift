import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The fleet's agent as a service of a machine with a real systemd, and a PostgreSQL that takes client certificates alone.
@Suite(.slot, .needs(.systemd, .postgreSQL))
struct FleetServiceTests {
  private static let unit = "waybill-fleet.service"

  private static func fleetFile(_ database: String) -> String {
    "database = \"\(database)\"\nname = \"scanner\"\nheartbeat = \"1s\"\n"
  }

  /// The way of docs/fleet.md: the daemon, the user who may act for people, the certificate, the agent, the page.
  @Test func agentServiceMirrorsAndRunsCommands() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try await withTLSDatabase { database in
      try await withService(
        faults: ["register": ["status": 422]], { $0.daemonLines = ["fleet_user = \"waybill-fleet\""] }
      ) { rig in
        let machine = rig.machine
        for name in ["ca.pem", "one.pem", "one.key"] {
          try machine.write(
            "/etc/waybill/fleet/" + name, String(contentsOfFile: database.certificates.file(name), encoding: .utf8))
        }
        try await machine.require("chgrp", "waybill-fleet", "/etc/waybill/fleet/one.key")
        try await machine.require("chmod", "640", "/etc/waybill/fleet/one.key")
        try machine.write("/etc/waybill/fleet.toml", Self.fleetFile(database.string("one", in: "/etc/waybill/fleet")))
        try await rig.service.start()
        let check = try await machine.require(["waybill-fleet", "check"], as: "waybill-fleet")
        #expect(check.contains("role one is a host") && check.contains("commands: the daemon takes them"), "\(check)")
        try await machine.require("systemctl", "start", Self.unit)
        #expect(try await machine.property("Type", of: Self.unit) == "notify")
        try await machine.until("ActiveState", of: Self.unit, is: "active")
        try await until("the status to say what it does") {
          try await machine.property("StatusText", of: Self.unit).contains("mirrors ledger")
        }
        // it runs as its own user, without a right of root
        let pid = try await machine.property("MainPID", of: Self.unit)
        let facts = try await machine.require("cat", "/proc/\(pid)/status")
        let user = try await machine.require("id", "-u", "waybill-fleet").trimmingCharacters(in: .newlines)
        #expect(facts.contains("Uid:\t\(user)\t\(user)\t\(user)\t\(user)"), "\(facts)")
        #expect(facts.contains("CapEff:\t0000000000000000") && facts.contains("NoNewPrivs:\t1"), "\(facts)")

        try await rig.drop("a.pdf", until: "awaiting-confirmation")
        try await until("the question in the fleet") {
          try await database.server.output(of: "SELECT state FROM waybill.job") == "awaiting-confirmation\n"
        }
        try await rig.sandbox.recover()
        let asked = try await database.server.ask("confirm", where: "host.name = 'scanner' AND job.number = 1")
        #expect(try await database.server.outcomes(asked) == ["done: 1"])
        let job = try await rig.service.job(named: "a.pdf", in: "registered")
        let person = try await rig.service.control("GET", "/v1/jobs/\(job.job.int ?? 0)").json.history.array
          .first { $0.event == "confirmed" }
        #expect(person?.by_user.string?.hasSuffix(" (fleet, role anna)") == true)
        #expect(person?.by_uid.int.map(String.init) == user)

        // a kill is followed by a start, which waits until the heartbeats of the one before are missed
        try await machine.require("kill", "-KILL", pid)
        try await machine.dropIn("soon", for: Self.unit, "[Service]\nRestartSec=100ms\n")
        try await machine.require("systemctl", "restart", Self.unit)
        try await until("another process to mirror") {
          let now = try await machine.property("MainPID", of: Self.unit)
          let words = try await machine.property("StatusText", of: Self.unit)
          return now != pid && words.contains("mirrors ledger")
        }
        try await rig.drop("b.pdf", until: "registered")
        try await until("the second job") {
          try await database.server.output(of: "SELECT count(*) FROM waybill.job WHERE state = 'registered'") == "2\n"
        }
        try await machine.require("systemctl", "stop", Self.unit)
        #expect(try await machine.property("Result", of: Self.unit) == "success")
        #expect(try await database.server.output(of: "SELECT session IS NULL FROM waybill.host") == "t\n")
        // the journal has its lines under its name, once each, with the priority of a message
        let lines = try await machine.journal("_SYSTEMD_UNIT=" + Self.unit).filter { $0.PRIORITY == "6" }
        #expect(
          lines.count >= 2 && lines.allSatisfy { $0.MESSAGE.string?.hasPrefix("mirrors ledger ") == true }, "\(lines)")

        // a daemon that was not told of its agent would refuse what is asked elsewhere: the check says so
        var untold = rig.setup
        untold.daemonLines = []
        try rig.service.configure(untold)
        try await rig.service.systemctl("reload")
        let refused = try await machine.run(["waybill-fleet", "check"], as: "waybill-fleet")
        #expect(refused.status == 77 && refused.errors.contains("[daemon] fleet_user"), "\(refused)")
        #expect(try await machine.run("waybill-fleet", "check").status == 77, "root is not the agent")

        try await Self.expectPageServiceOffersSocketToGroup(machine, database)
      }
    }
  }

  @Test func reportsFaultsAndWaitsForRepair() async throws {
    try await withService { rig in
      let machine = rig.machine
      try await rig.service.start()
      // without a configuration it is not started
      try await machine.require("systemctl", "start", Self.unit)
      #expect(try await machine.property("ConditionResult", of: Self.unit) == "no")
      // an error in it stays until somebody acts
      try machine.write("/etc/waybill/fleet.toml", "databas = \"x\"\n")
      _ = try await machine.run("systemctl", "start", Self.unit)
      try await machine.until("ActiveState", of: Self.unit, is: "failed")
      #expect(try await machine.property("ExecMainStatus", of: Self.unit) == "78")
      #expect(try await machine.property("NRestarts", of: Self.unit) == "0")
      // a database that is away is told, and waited for; the daemon does not notice
      try machine.write("/etc/waybill/fleet.toml", Self.fleetFile("host=127.0.0.1 port=1 connect_timeout=2"))
      try await machine.require("systemctl", "start", Self.unit)
      try await until("the trouble in the status") {
        try await machine.property("StatusText", of: Self.unit).contains("This host goes on by itself")
      }
      let lines = try await machine.journal("_SYSTEMD_UNIT=" + Self.unit, "PRIORITY=4")
      #expect(lines.count == 1 && lines[0].MESSAGE.string?.contains("Connection refused") == true, "\(lines)")
      try await rig.drop("a.pdf", until: "registered")
      #expect(try await machine.property("ActiveState", of: Self.unit) == "active")
      try await Self.expectNoInstanceTakesDirectories(machine)
    }
  }

  /// An instance of the daemon by the name of one of the other services would take their directories.
  private static func expectNoInstanceTakesDirectories(_ machine: SystemdMachine) async throws {
    for name in ["fleet", "fleet-web", "page"] {
      let directory = "/run/waybill-\(name)"
      try await machine.require("install", "-d", "-o", "waybill-fleet", "-m", "700", directory)
      try machine.write("/etc/waybill/\(name).toml", "database = \"dbname=x\"\n")
      for unit in ["waybill@\(name).service", "waybill@\(name).socket"] {
        let answer = try await machine.run("systemctl", "start", unit)
        #expect(answer.status != 0 && answer.errors.contains("Assertion failed"), "\(unit): \(answer)")
        #expect(try await machine.property("AssertResult", of: unit) == "no")
      }
      #expect(try await machine.require("stat", "-c", "%U %a", directory) == "waybill-fleet 700\n")
      #expect(try await machine.run("test", "-e", "/var/lib/waybill-\(name)").status != 0)
      let words = try await machine.run("waybill", "--instance", name, "status")
      #expect(words.status == 64 && words.errors.contains("waybill-\(name).service has that name"), "\(words)")
    }
    // any other name is one
    try machine.write("/etc/waybill/second.toml", "database = \"dbname=x\"\n")
    _ = try await machine.run("systemctl", "start", "waybill@second.service")
    #expect(try await machine.property("AssertResult", of: "waybill@second.service") == "yes")
  }

  /// The page has a user of its own, who may use no control socket.
  private static func expectPageServiceOffersSocketToGroup(
    _ machine: SystemdMachine, _ database: TLSDatabase
  ) async throws {
    let unit = "waybill-fleet-web.service"
    for name in ["ca.pem", "one.pem", "one.key"] {
      let text = try String(contentsOfFile: database.certificates.file(name), encoding: .utf8)
      try machine.write("/etc/waybill/fleet-web/" + name, text)
    }
    try await machine.require("chgrp", "waybill-fleet-web", "/etc/waybill/fleet-web/one.key")
    try await machine.require("chmod", "640", "/etc/waybill/fleet-web/one.key")
    _ = try await database.server.output(of: "GRANT waybill_operator TO one")
    try machine.write(
      "/etc/waybill/fleet-web.toml",
      """
      database = "\(database.string("one", in: "/etc/waybill/fleet-web"))"
      [web]
      listen = "/run/waybill-fleet-web/web.sock"

      """)
    try await machine.require("systemctl", "start", unit)
    #expect(try await machine.property("ActiveState", of: unit) == "active")
    #expect(try await machine.require("id", "-nG", "waybill-fleet-web") == "waybill-fleet-web\n")
    let socket = "/run/waybill-fleet-web/web.sock"
    let call = ["curl", "-q", "-sS", "--noproxy", "*", "--unix-socket", socket, "http://localhost/v1/status"]
    let answer = try await machine.run(call, as: "waybill-fleet-web")
    #expect(answer.status == 0 && answer.output.contains("\"hosts\""), "\(answer)")
    #expect(try await machine.run(call, as: SystemdMachine.dropperName).status == 7)
    try await machine.require("systemctl", "stop", unit)
    #expect(try await machine.property("Result", of: unit) == "success")
  }
}
