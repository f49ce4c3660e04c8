public final class FileLock: Sendable { public init(path: String) throws {} }
public enum FileSystem { public static func networkType(of path: String) throws -> String? { nil } }
