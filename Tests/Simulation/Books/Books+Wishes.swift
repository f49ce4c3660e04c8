extension Books {
  /// What people want for files and do not have yet. Empty if they have all.
  package func unmet(_ wishes: [Wish], _ facts: WorldFacts, _ servers: Servers) -> [String] {
    wishes.compactMap { wish in
      guard let job = (facts.jobs ?? []).last(where: { $0.name == wish.name }) else {
        return "\(wish.name) has no job"
      }
      return fault(of: job, wish, facts, servers).map { "\(wish.name), which is to be \(wish.fate.rawValue): \($0)" }
    }
  }

  private func fault(
    of job: WorldFacts.Job, _ wish: Wish, _ facts: WorldFacts, _ servers: Servers
  ) -> String? {
    let state = [.cancelled, .removed].contains(wish.fate) ? "cancelled" : "discarded"
    guard job.state == state else { return "its job is \(job.state)" }
    let paths = paths(of: wish.name, facts)
    func stand(in folder: String) -> Bool {
      !paths.isEmpty && paths.allSatisfy { $0.contains { $0.hasPrefix(folder) } }
    }
    switch wish.fate {
    case .cancelled:
      if job.remote == "pending" { return "its cleanup is not done" }
      return stand(in: "spools/") ? nil : "its file is not in the spool"
    case .removed:
      guard job.remote == "clean" else { return "it is \(job.remote ?? "unknown") at the storage" }
      let isThere = servers.all.compactMap(\.storage).contains {
        $0.objects.entries.contains { $0.value.id == job.id }
      }
      return isThere ? "its object is there" : stand(in: "spools/") ? nil : "its file is not in the spool"
    case .discarded: return paths.allSatisfy(\.isEmpty) ? nil : "it is still at \(paths)"
    case .released:
      if paths.joined().contains(where: { $0.hasPrefix("spools/") }) { return "it is still in the spool" }
      return stand(in: ConfigurationPlan.releaseFolder + "/") ? nil : "it is not in the folder that it was released to"
    }
  }

  /// The paths at which each file of a drop's last version is. Files without bytes are nobody's.
  private func paths(of name: String, _ facts: WorldFacts) -> [[String]] {
    guard let version = entries.first(where: { $0.drop.name == name })?.versions.last else { return [] }
    return version.contents.parts.filter { $0.sum.size > 0 }.map { part in
      facts.files.filter { $0.sum == part.sum }.map(\.path)
    }
  }
}
