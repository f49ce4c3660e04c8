import Jobs
import Ledger
import ObjectStorage
import Spool

/// Makes admissions of claims: fixes bucket, key and names by what the configuration says at this moment.
struct Admissions: Sendable {
  /// What a spool's new jobs are given.
  struct Plan: Sendable {
    let storage: String
    let backend: String
    let bucket: String
    let key: KeyTemplate
    let priority: Int

    /// The key; empty where the name makes none that S3 takes, which the first attempt turns into a question.
    func render(_ facts: KeyFacts) -> String {
      do throws(Failure) {
        return try key.render(facts)
      } catch {
        return ""
      }
    }
  }

  let plans: [String: Plan]
  let host: String
  let clock: Clock
  let types: MediaTypes

  func make(_ claims: [Claim], spool: String) -> [Admission] {
    guard let plan = plans[spool] else { return [] }
    let now = clock.now()
    return claims.map { claim in
      let metadata = FileMetadata(claim.attributes, name: claim.name, types: types)
      return Admission(id: claim.id, identity: claim.identity) { number in
        Ticket(
          id: claim.id, spool: spool, name: claim.name, path: claim.path, storage: plan.storage, backend: plan.backend,
          bucket: plan.bucket,
          key: plan.render(
            KeyFacts(spool: spool, id: claim.id, name: claim.name, job: number, host: host, path: claim.path, time: now)
          ),
          contentType: metadata.contentType, metadata: metadata.values, priority: plan.priority, createdAt: now)
      }
    }
  }
}
