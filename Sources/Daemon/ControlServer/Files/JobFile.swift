/// The open file of a stopped job, as ``ControlOperations`` gives it to the control server.
public struct JobFile: Sendable {
  /// The revision of the job. A release with it is refused if the job has changed since.
  public var revision: Int64
  /// The length of the file in bytes.
  public var size: Int64
  /// Returns some bytes from an offset on; none at the end. Throws if they cannot be read, or if the file has changed.
  public var read: @Sendable (_ offset: Int64) async throws -> [UInt8]

  /// Creates an open file.
  public init(revision: Int64, size: Int64, read: @escaping @Sendable (_ offset: Int64) async throws -> [UInt8]) {
    self.revision = revision
    self.size = size
    self.read = read
  }
}
