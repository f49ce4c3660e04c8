import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The role of `share/ansible`, run by a real Ansible in a machine on which nothing of Waybill is.
@Suite(.slot, .needs(.systemd, .debhelper, .ansible))
struct AnsibleRoleTests {
  private static let venv = Products.source(".build-test/ansible-venv")

  /// A playbook with the role. It is JSON, which is YAML too.
  private func playbook(_ rig: ServiceRig, package: String, _ change: (inout [String: JSONValue]) -> Void = { _ in })
    -> String
  {
    var variables: [String: JSONValue] = [
      "waybill_package": .string(package),
      "waybill_daemon": ["concurrency": 16],
      "waybill_retry": ["delays": []],
      "waybill_keys": [
        "s3-access-key": .string(rig.setup.storage.accessKey), "s3-secret-key": .string(rig.setup.storage.secretKey),
      ],
      "waybill_storages": [
        "main": [
          "endpoint": .string(rig.setup.storage.endpoint), "region": .string(rig.setup.storage.region),
          "bucket": .string(rig.setup.storage.bucket), "access_key": ["file": "/etc/waybill/keys/s3-access-key"],
          "secret_key": ["file": "/etc/waybill/keys/s3-secret-key"],
          "headers": ["x-amz-meta-place": "room \"1\" \\ 2"],
        ]
      ],
      "waybill_backends": [
        "main": [
          "url": .string(rig.setup.backend), "fields": ["id": "{id}", "name": "{name}", "place": "größe \"1\" \\ 2"],
        ]
      ],
      "waybill_spools": [["path": "/var/spool/waybill/documents", "settings": ["settle": "50ms"]]],
      "waybill_droppers": [.string(SystemdMachine.dropperName)], "waybill_operators": ["olga"],
    ]
    change(&variables)
    let play: JSONValue = [
      [
        "hosts": "localhost", "connection": "local", "gather_facts": false,
        "roles": [["role": "waybill", "vars": .object(variables)]],
      ]
    ]
    return play.description
  }

  /// Runs a playbook as root of the machine.
  private func run(_ playbook: String, _ machine: SystemdMachine) async throws -> Command {
    try machine.write("/root/play.yml", playbook)
    return try await machine.run([
      "env", "LC_ALL=C.UTF-8", "HOME=/root", "ANSIBLE_ROLES_PATH=/ansible/roles", "ANSIBLE_NOCOLOR=1",
      "ANSIBLE_PIPELINING=1",
      Self.venv + "/bin/ansible-playbook", "-vvv", "--inventory", "localhost,", "--extra-vars",
      "ansible_python_interpreter=/usr/bin/python3", "/root/play.yml",
    ])
  }

  /// How many tasks have changed something.
  private func changes(_ command: Command) -> Int? {
    command.output.firstMatch(of: /ok=\d+ +changed=(\d+) +unreachable=0 +failed=0/).flatMap { Int($0.1) }
  }

  /// A role for one host, over its days: set up, given another spool, run again, and given a mistake.
  @Test func roleSetsUpAndFollowsChanges() async throws {
    let folder = try TemporaryFolder()
    let sandbox = try await Sandbox(in: folder.url)
    defer { sandbox.cut() }
    let package = try await DebianPackage.first.value
    let binds = [
      "/packages": URL(filePath: package.path).deletingLastPathComponent().path, Self.venv: Self.venv,
      "/ansible": Products.source("share/ansible"),
    ]
    try await withMachine(binds: binds) { machine in
      try await machine.takePackages()
      for user in [SystemdMachine.dropperName, "olga"] { try await machine.require("useradd", user) }
      let rig = ServiceRig(
        machine: machine, sandbox: sandbox, setup: ServiceSetup(storage: sandbox.storage, backend: sandbox.backend))

      let first = try await run(playbook(rig, package: package.seen), machine)
      try #require(first.status == 0, "\(first.output.suffix(4000))\(first.errors)")
      let job = try await rig.drop("scan 1.pdf", until: "registered")
      let body = try #require(try rig.sandbox.registrations().first?.body)
      #expect(body.id == job.id && body.place == "größe \"1\" \\ 2", "\(body)")
      #expect(try await rig.service.property("UnitFileState") == "enabled")
      #expect(try await machine.require("id", "-nG", "olga").contains("waybill"))
      let key = "/etc/waybill/keys/s3-secret-key"
      #expect(try await machine.require("stat", "-c", "%a %U:%G", key) == "640 root:waybill\n")
      let pid = try await rig.service.pid()

      // A spool outside of the unit's directories, for a group of its own.
      let outside = playbook(rig, package: package.seen) {
        $0["waybill_spools"] = [
          ["path": "/var/spool/waybill/documents", "settings": ["settle": "50ms"]],
          [
            "path": "/srv/scans", "group": "scanners", "archive": "/srv/kept scans",
            "settings": ["after": "archive", "settle_unseen": "200ms"],
          ],
        ]
      }
      let second = try await run(outside, machine)
      #expect(second.status == 0, "\(second.output.suffix(4000))")
      #expect(try await rig.service.pid() != pid)
      try await machine.require("usermod", "-a", "-G", "scanners", SystemdMachine.dropperName)
      try await rig.drop("scan 2.pdf", in: "/srv/scans")
      try await rig.service.job(named: "scan 2.pdf", in: "registered")
      try await until("the archive to have it") {
        try await machine.run("sh", "-c", "find '/srv/kept scans' -type f | grep -q 'scan 2.pdf'").status == 0
      }
      let third = try await run(outside, machine)
      #expect(third.status == 0 && changes(third) == 0, "\(third.output.suffix(4000))")

      // A mistake is refused in Waybill's words, and nothing of it gets into the file.
      let before = try machine.read(rig.service.configuration)
      let running = try await rig.service.pid()
      let broken = playbook(rig, package: package.seen) {
        $0["waybill_spools"] = [["path": "/var/spool/waybill/documents", "settings": ["settle": "5 parsecs"]]]
      }
      let fourth = try await run(broken, machine)
      #expect(fourth.status == 2 && fourth.output.contains("5 parsecs"), "\(fourth.output.suffix(4000))")
      #expect(try machine.read(rig.service.configuration) == before)
      #expect(try await rig.service.pid() == running)

      for run in [first, second, third, fourth] {
        #expect(!(run.output + run.errors).contains(rig.setup.storage.secretKey), "a secret is shown")
      }
    }
    folder.remove()
  }
}
