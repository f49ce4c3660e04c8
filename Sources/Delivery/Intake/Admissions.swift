package import Jobs
import Ledger
package import ObjectStorage
import Spool

/// Makes admissions of claims: fixes bucket, key and names by what the configuration says at this moment.
package struct Admissions: Sendable {
  /// The settings that a spool's new jobs get.
  package struct Plan: Sendable {
    let storage: String
    let backend: String
    package let bucket: String
    package let key: KeyTemplate
    let priority: Int
    /// True if several hosts have the spool. Then a key has the time of the claim, which all of them know.
    let isShared: Bool

    package init(
      storage: String, backend: String, bucket: String, key: KeyTemplate, priority: Int, isShared: Bool = false
    ) {
      self.storage = storage
      self.backend = backend
      self.bucket = bucket
      self.key = key
      self.priority = priority
      self.isShared = isShared
    }

    /// The key; empty where the name makes none that S3 takes, which the first attempt turns into a question.
    func render(_ facts: KeyFacts) -> String {
      do throws(Failure) {
        return try key.render(facts)
      } catch {
        return ""
      }
    }
  }

  package let plans: [String: Plan]
  let host: String
  let clock: Clock
  let types: MediaTypes

  package init(plans: [String: Plan], host: String, clock: Clock, types: MediaTypes) {
    self.plans = plans
    self.host = host
    self.clock = clock
    self.types = types
  }

  /// - Parameter inheritances: what stands beside the files that another host may have sent, by id.
  func make(_ claims: [Claim], spool: String, _ inheritances: [JobID: Inheritance] = [:]) -> [Admission] {
    guard let plan = plans[spool] else { return [] }
    let now = clock.now()
    return claims.map { claim in
      let metadata = FileMetadata(claim.attributes, name: claim.name, types: types)
      let receipt = inheritances[claim.id]?.stored?.receipt
      let time = plan.isShared ? claim.id.mintedAt ?? now : now
      return Admission(id: claim.id, identity: claim.identity) { number in
        Ticket(
          id: claim.id, spool: spool, name: claim.name, path: claim.path, storage: plan.storage, backend: plan.backend,
          bucket: receipt?.bucket ?? plan.bucket,
          key: receipt?.key
            ?? plan.render(
              KeyFacts(
                spool: spool, id: claim.id, name: claim.name, job: number, host: host, path: claim.path, time: time)),
          contentType: metadata.contentType, metadata: metadata.values, priority: plan.priority, createdAt: now)
      }
    }
  }
}
