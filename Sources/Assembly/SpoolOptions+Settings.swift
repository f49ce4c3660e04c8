public import Settings
public import Spool

extension SpoolOptions {
  /// Creates options from a spool's settings, as far as they concern finding and claiming files.
  public init(_ spool: SpoolSettings) {
    self.init(
      name: spool.name, path: spool.path, settle: spool.settle, settleUnseen: spool.settleUnseen,
      settleOpen: spool.settleOpen, settleEmpty: spool.settleEmpty,
      settleRenamed: spool.settleRenamed, ignore: spool.ignore, only: spool.only,
      sizes: SizeLimits(least: spool.minSize, greatest: spool.maxSize, takesEmpty: spool.empty == .send),
      recursive: spool.recursive,
      removesFolders: spool.folders == .remove,
      rescan: spool.rescan, watch: Watch(spool.watch),
      poll: spool.poll, sidecar: spool.sidecar, sidecarWait: spool.sidecarWait,
      group: spool.group)
  }
}

extension SpoolOptions.Watch {
  fileprivate init(_ watch: SpoolSettings.Watch) {
    switch watch {
    case .auto: self = .auto
    case .inotify: self = .inotify
    case .poll: self = .poll
    }
  }
}
