/// The storage, the bucket and the backend that a spool's files go to.
///
/// A file that was registered by one route was not registered by another.
public struct Route: Hashable, Sendable {
  package var storage: String
  package var bucket: String
  package var backend: String

  package init(storage: String, bucket: String, backend: String) {
    self.storage = storage
    self.bucket = bucket
    self.backend = backend
  }
}

extension Ticket {
  package var route: Route { Route(storage: storage, bucket: bucket, backend: backend) }

  /// True if no other job can have the key, because the job's id is part of it.
  public var hasOwnKey: Bool { key.contains(id.description) }
}
