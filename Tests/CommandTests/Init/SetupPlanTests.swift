import ChildProcesses
import Credentials
import Foundation
import Jobs
import Settings
import Spool
import Testing

@testable import waybill

/// The steps of a setup, by made-up answers and hosts.
@Suite struct SetupPlanTests {
  private let place = SetupPlace(configuration: SetupPlace.usual, instance: nil)

  private func secret(_ text: String) throws -> Secret { try #require(Secret(text: text)) }

  private func answers(_ change: (inout SetupAnswers) -> Void = { _ in }) throws -> SetupAnswers {
    var answers = SetupAnswers(
      storage: SetupAnswers.Storage(
        endpoint: "https://s3.example.com", region: "us-east-1", bucket: "documents",
        keys: .written(access: try secret("AKIA"), secret: try secret("hidden-secret"), token: nil)),
      backend: SetupAnswers.Backend(url: "https://api.example.com/documents"),
      spools: [SetupAnswers.Spool(path: "/srv/scans")], people: ["kim"], usesSandbox: false)
    change(&answers)
    return answers
  }

  private func host(_ change: (inout SetupHost) -> Void = { _ in }) throws -> SetupHost {
    var host = SetupHost()
    host.directories = ["/srv/scans": .missing]
    change(&host)
    return host
  }

  @Test func planIsWhatItPrints() throws {
    let folder = try TemporaryFolder()
    let unit = folder.file("usr/lib/systemd/system/waybill.service")
    try FileManager.default.createDirectory(
      atPath: folder.file("usr/lib/systemd/system"), withIntermediateDirectories: true)
    try "[Service]\nProtectSystem=strict\n".write(toFile: unit, atomically: true, encoding: .utf8)
    let plan = try SetupPlan(
      try answers { $0.backend.token = Secret(text: "hidden-token") },
      on: try host {
        $0.hasKeyFolder = false
        $0.sandbox = UnitSandbox(ofConfiguration: SetupPlace.usual, root: folder.path)
      }, at: place)
    let commands = SetupPlan.commands(plan.steps, at: place)
    let toml = try #require(commands.firstIndex { $0.hasSuffix("/etc/waybill/waybill.toml << 'END'") })
    let end = try #require(commands.firstIndex(of: "END"))
    #expect(Array(commands[(toml + 1)..<end]).joined(separator: "\n") + "\n" == plan.text)
    #expect(
      commands[..<toml].map { $0 } == [
        "install -d -o waybill -g root -m 500 /etc/waybill/keys",
        "# the id of the key:", "install -m 440 -g waybill /dev/stdin /etc/waybill/keys/s3-access-key",
        "# its secret:", "install -m 440 -g waybill /dev/stdin /etc/waybill/keys/s3-secret-key",
        "# the backend's token:", "install -m 440 -g waybill /dev/stdin /etc/waybill/keys/backend-token",
      ] + DirectoryRecipe(user: "waybill", droppers: nil).spool("/srv/scans") + [
        UnitDropIn(path: "/srv/scans").command(for: "waybill.service"), "systemctl daemon-reload",
        "usermod -a -G waybill,waybill-drop kim",
      ])
    #expect(
      commands[(end + 1)...].map { $0 } == [
        "waybill check --probe", "systemctl enable --now waybill.service", "waybill add FILE --spool scans --wait",
      ])
    #expect(!"\(commands)\(plan)".contains("hidden"), "no secret is shown")
    // It is tried before it is written, so that a configuration that does not work never lies there.
    let probe = try #require(plan.steps.firstIndex(of: .probe))
    let file = try #require(plan.steps.firstIndex(of: .configuration(path: place.configuration, text: plan.text)))
    #expect(probe < file)
    // A second run stops at a configuration that is there: nothing but the start comes after it.
    #expect(plan.steps[(file + 1)...] == [.enable(unit: "waybill.service"), .firstFile(spool: "scans")])
  }

  @Test func whatIsThereIsNoStep() throws {
    let plan = try SetupPlan(
      try answers { $0.starts = false },
      on: try host {
        $0.directories["/srv/scans"] = .ready
        $0.keptKeys = ["/etc/waybill/keys/s3-access-key", "/etc/waybill/keys/s3-secret-key"]
      }, at: place)
    #expect(
      plan.steps == [
        .probe, .join(user: "kim", groups: ["waybill", "waybill-drop"]),
        .configuration(path: place.configuration, text: plan.text),
      ])
  }

  @Test func neverTakesDirectoryOfOthers() throws {
    let host = try host { $0.directories["/srv/scans"] = .others(owner: "kim", group: "users") }
    let failure = #expect(throws: CommandFailure.self) { try SetupPlan(try answers(), on: host, at: place) }
    #expect(failure?.words?.contains("/srv/scans belongs to kim:users, and stays so. To use it:\n  install -d") == true)
    let agreed = try SetupPlan(
      try answers { $0.spools[0].agreed = .others(owner: "kim", group: "users") }, on: host, at: place)
    #expect(agreed.steps.contains { if case .spool = $0 { true } else { false } })
    // It has changed since somebody agreed.
    #expect(throws: CommandFailure.self) {
      try SetupPlan(
        try answers { $0.spools[0].agreed = .others(owner: "lee", group: "users") }, on: host, at: place)
    }
    // The yes was for the spool, and not for its archive.
    let kept = try self.host {
      $0.directories["/srv/scans"] = .others(owner: "kim", group: "users")
      $0.directories["/srv/kept"] = .others(owner: "kim", group: "users")
    }
    let archive = #expect(throws: CommandFailure.self) {
      try SetupPlan(
        try answers {
          $0.spools[0].agreed = .others(owner: "kim", group: "users")
          $0.spools[0].archive = "/srv/kept"
        }, on: kept, at: place)
    }
    #expect(archive?.words?.contains("/srv/kept belongs to kim:users, and stays so") == true)
  }

  @Test func withoutSystemdNothingIsStarted() throws {
    for plan in [
      try SetupPlan(try answers(), on: try host { $0.hasSystemd = false }, at: place),
      try SetupPlan(
        try answers(), on: try host(), at: SetupPlace(configuration: "/opt/waybill.toml", instance: nil)),
    ] {
      #expect(plan.steps.dropLast().last == .join(user: "kim", groups: ["waybill", "waybill-drop"]))
      #expect(plan.steps.last.map { if case .configuration = $0 { true } else { false } } == true)
      #expect(!SetupPlan.commands(plan.steps, at: place).contains { $0.contains("systemctl") })
    }
  }

  @Test func sandboxNeedsItsPackage() throws {
    let sandbox = try #require(LocalSandbox.storage)
    let answers = try answers {
      $0.storage = sandbox
      $0.usesSandbox = true
    }
    let failure = #expect(throws: CommandFailure.self) {
      try SetupPlan(answers, on: try host { $0.hasSandbox = false }, at: place)
    }
    #expect(failure?.words?.contains("install the package waybill-sandbox") == true)
    let steps = try SetupPlan(answers, on: try host(), at: place).steps
    #expect(try #require(steps.firstIndex(of: .startSandbox)) < #require(steps.firstIndex(of: .probe)))
  }

  @Test func instanceHasItsOwnNames() throws {
    let place = SetupPlace(configuration: SetupPlace.usual, instance: "second")
    let commands = SetupPlan.commands(try SetupPlan(try answers(), on: try host(), at: place).steps, at: place)
    for command in [
      "install -m 440 -g waybill /dev/stdin /etc/waybill/keys/second-s3-access-key",
      "waybill check --probe --config /etc/waybill/second.toml", "systemctl enable --now waybill@second.service",
      "waybill --instance second add FILE --spool scans --wait",
    ] { #expect(commands.contains(command), "\(command)") }
  }

  @Test func tomlIsReadAndFits() throws {
    for provider in Provider.all + [.other] {
      var draft = SetupDraft()
      draft.provider = provider
      draft.keys = .written(
        access: try secret("AKIA"), secret: try secret("hidden-secret"), token: try secret("hidden"))
      (draft.bucket, draft.backend) = ("documents", "https://api.example.com/documents")
      draft.region = provider.region.usual ?? "here"
      if case .own = provider.endpoint { draft.endpoint = "http://127.0.0.1:9000" }
      if case .pattern(_, let word) = provider.endpoint, word == "ACCOUNT" { draft.endpoint = provider.address("abc") }
      draft.spools = [SetupAnswers.Spool(path: #"/srv/"a\b #"#)]
      draft.conclude()
      let answers = try #require(draft.answers, "\(provider.name): \(draft.missing)")
      let text = SetupText.configuration(answers, at: place)
      #expect(!text.contains("hidden"))
      let read = try Configuration.load(
        path: place.configuration, environment: [:], readingCredentials: false,
        replacing: [place.configuration: Array(text.utf8)])
      let storage = try #require(read.storages["main"])
      #expect(storage.endpoint == answers.storage.endpoint && storage.bucket == "documents", "\(provider.name)")
      #expect(read.spools.map(\.name) == ["-a-b--"])
      #expect(read.spools.map(\.path) == [#"/srv/"a\b #"#])
    }
  }

  @Test(arguments: ["instance", "files"]) func otherKeysAreRead(_ keys: String) throws {
    let folder = try TemporaryFolder()
    let answers = try answers {
      $0.storage.keys = keys == "instance" ? .instance : .files(access: "/a", secret: "/b")
      $0.backend.tokenFile = "/c"
    }
    #expect(SetupPlan.keyFiles(answers, at: place).isEmpty)
    let text = SetupText.configuration(answers, at: place)
    #expect(text.contains(keys == "instance" ? #"access_key = { aws = "default" }"# : #"secret_key = { file = "/b" }"#))
    #expect(text.contains(#"token = { file = "/c" }"#))
    #expect(
      throws: Never.self,
      performing: {
        try Configuration.load(
          path: folder.file("w.toml"), environment: [:], readingCredentials: false,
          replacing: [folder.file("w.toml"): Array(text.utf8)])
      })
  }

  @Test func mergesFittingSettings() throws {
    var answers = try answers { $0.storage.settings = [StorageSetting(key: "part_size", value: "\"64MiB\"")] }
    var plan = try SetupPlan(answers, on: try host(), at: place)
    plan.apply(
      [StorageSetting(key: "part_size", value: "\"8MiB\""), StorageSetting(key: "overwrite", value: "true")],
      to: &answers, at: place)
    #expect(plan.text.contains("part_size = \"8MiB\"\noverwrite = true\n") && !plan.text.contains("64MiB"))
    #expect(plan.steps.contains(.configuration(path: place.configuration, text: plan.text)))
  }

  @Test func commandsFitTerminal() {
    let command = "setfacl -d -m u::rwx,u:waybill:rwx,g::---,o::--- '/srv/a directory with a long name/of/scans'"
    let lines = CommandLines.folded(command, width: 60)
    #expect(lines.count > 1 && lines.dropLast().allSatisfy { $0.hasSuffix(" \\") && $0.count <= 60 }, "\(lines)")
    #expect(lines.last?.hasSuffix("'/srv/a directory with a long name/of/scans'") == true)
    #expect(CommandLines.folded("# the id of the key", width: 16) == ["  # the id of", "  # the key"])
    #expect(CommandLines.folded("systemctl daemon-reload", width: 80) == ["  systemctl daemon-reload"])
  }
}
