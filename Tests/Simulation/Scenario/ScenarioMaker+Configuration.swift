import SeededNumbers

extension ScenarioMaker {
  mutating func configuration() -> ConfigurationPlan {
    var plan = ConfigurationPlan(storages: storages(), backends: backends(), spools: [])
    if has(.fixedConcurrency) { plan.daemon.concurrency = numbers.pick([1, 2, 4, 32]) }
    if has(.narrowAdmission) { plan.daemon.admitAhead = int(1...4) }
    if has(.shortDelays) { plan.daemon.delays = numbers.pick([[], [0], [1], [1, 1, 1, 1, 1, 1, 1, 1]]) }
    if has(.shortHistory) { plan.daemon.historyDays = 1 }
    plan.daemon.retriesUnavailable = has(.retriedUnavailable)
    let kinds =
      [SpoolPlan.Kind.plain] + (has(.sidecars) ? [.sidecar] : []) + (has(.groups) ? [.group] : [])
      + (has(.recursion) ? [.recursive] : [])
    for index in 0..<(has(.severalSpools) ? int(2...3) : 1) {
      var spool = SpoolPlan(
        name: "in-\(index)", directory: "spools/in-\(index)", kind: numbers.pick(kinds),
        storage: numbers.pick(plan.storages).name, backend: numbers.pick(plan.backends).name)
      spool.archives = has(.archives) && numbers.isOne(in: 700)
      spool.hasPlainKeys = has(.plainKeys) && numbers.isOne(in: 700)
      spool.sendsWithoutSidecar = numbers.isOne(in: 500)
      if has(.priorities) { spool.priority = int(-1...1) }
      plan.spools.append(spool)
    }
    grantUploads(&plan)
    return plan
  }

  /// Has a backend grant the uploads to some storages. Drawn from the seed alone, so that the seeds keep what they have.
  private func grantUploads(_ plan: inout ConfigurationPlan) {
    for index in plan.storages.indices where (seed &+ UInt64(index)) % 5 == 1 && plan.mayGrant(at: index) {
      plan.storages[index].grantor = plan.backends[index % plan.backends.count].name
      // A slow world would get no upload done in so short a time.
      if !has(.slowness), !has(.parts) { plan.storages[index].grantSeconds = 20 }
    }
  }

  private mutating func storages() -> [ConfigurationPlan.Storage] {
    (0..<(has(.severalStorages) ? int(2...3) : 1)).map { index in
      var storage = ConfigurationPlan.Storage(name: "s\(index)", host: "s\(index).storage.example")
      storage.bucket = "bucket-\(index)"
      if has(.otherChecksums) { storage.checksum = numbers.pick(["sha256", "crc32c", "crc64nvme", "none"]) }
      if has(.parts) { storage.megabytesInParts = numbers.pick([5, 5, 32]) }
      storage.overwrites = has(.overwriting) && numbers.isOne(in: 500)
      // Drawn from the seed alone, so that the seeds keep what they have.
      if (seed &+ UInt64(index)).isMultiple(of: 5) { storage.rate = 4 }
      return storage
    }
  }

  private mutating func backends() -> [ConfigurationPlan.Backend] {
    (0..<(has(.severalBackends) ? int(2...3) : 1)).map { index in
      var backend = ConfigurationPlan.Backend(name: "b\(index)", host: "b\(index).backend.example")
      backend.takesConflicts = has(.takenConflicts)
      // Drawn from the seed alone, so that the seeds keep what they have.
      backend.hasHealth = (seed &+ UInt64(index)).isMultiple(of: 3)
      return backend
    }
  }

  /// A configuration that differs from another in one thing, so that a reload has something to do.
  mutating func changed(_ plan: ConfigurationPlan) -> ConfigurationPlan {
    var plan = plan
    let spool = numbers.index(below: plan.spools.count)
    switch int(0...8) {
    case 0 where plan.spools.count > 1: plan.spools.remove(at: spool)
    case 1: plan.spools[spool].name += "-renamed"
    case 2:
      let name = plan.storages[0].name
      plan.storages[0].name += "-renamed"
      for index in plan.spools.indices where plan.spools[index].storage == name {
        plan.spools[index].storage += "-renamed"
      }
    case 3:
      let name = plan.backends[0].name
      plan.backends[0].name += "-renamed"
      for index in plan.spools.indices where plan.spools[index].backend == name {
        plan.spools[index].backend += "-renamed"
      }
      for index in plan.storages.indices where plan.storages[index].grantor == name {
        plan.storages[index].grantor = name + "-renamed"
      }
    case 4: plan.daemon.concurrency = numbers.pick([nil, 1, 8])
    case 5: plan.daemon.delays = numbers.pick([[], [1], [5, 5]])
    case 6 where has(.archives): plan.spools[spool].archives.toggle()
    case 7 where plan.spools[spool].archives: plan.spools[spool].otherArchive = "other-\(spool)"
    default: plan.daemon.admitAhead = numbers.pick([1, 3, 10_000])
    }
    return plan
  }
}
