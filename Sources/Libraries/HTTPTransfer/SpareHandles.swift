/// Easy handles that can be used again, grouped by what their options are set for.
///
/// It is used only on the transfer thread.
struct SpareHandles {
  /// The maximum number. A spare handle costs about 20 KiB, so few are kept.
  private static let limit = 64

  /// The handles with the same options, or without any. There are about as many groups as kinds of requests: an upload, a registration.
  private struct Group {
    let options: HandleOptions?
    var handles: [EasyHandle] = []
  }

  private var groups: [Group] = []
  private var count = 0

  /// Returns a handle, if there is one: preferably one that has these options already, else any.
  mutating func reuse(for options: HandleOptions?) -> EasyHandle? {
    let own = groups.firstIndex { !$0.handles.isEmpty && $0.options == options }
    guard let index = own ?? groups.firstIndex(where: { !$0.handles.isEmpty }) else { return nil }
    count -= 1
    return groups[index].handles.popLast()
  }

  /// Keeps a handle: with the options of its last request if others share them, else without any.
  mutating func add(_ easy: EasyHandle, _ options: HandleOptions?) {
    guard count < Self.limit else { return }
    if let options { easy.keep(for: options) } else { easy.reset() }
    count += 1
    if let index = groups.firstIndex(where: { $0.options == options }) { return groups[index].handles.append(easy) }
    groups.removeAll { $0.handles.isEmpty }
    groups.append(Group(options: options, handles: [easy]))
  }
}
