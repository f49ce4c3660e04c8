/// Easy handles that can be used again, grouped by what their options are set for.
///
/// It is used only on the transfer thread.
struct SpareHandles {
  /// The maximum number. A spare handle costs about 20 KiB, so few are kept.
  private static let limit = 64

  /// The handles of one shape, or of none. There are about as many groups as kinds of requests: an upload, a registration.
  private struct Group {
    let shape: RequestShape?
    var handles: [EasyHandle] = []
  }

  private var groups: [Group] = []
  private var count = 0

  /// Returns a handle, if there is one: preferably one that was used for a request of the same shape, else any.
  mutating func reuse(for shape: RequestShape?) -> EasyHandle? {
    let own = groups.firstIndex { !$0.handles.isEmpty && $0.shape == shape }
    guard let index = own ?? groups.firstIndex(where: { !$0.handles.isEmpty }) else { return nil }
    count -= 1
    return groups[index].handles.popLast()
  }

  /// Keeps a handle: with the options of its last request if these have a shape, else without options.
  mutating func add(_ easy: EasyHandle, _ shape: RequestShape?) {
    guard count < Self.limit else { return }
    if let shape { easy.keep(for: shape) } else { easy.reset() }
    count += 1
    if let index = groups.firstIndex(where: { $0.shape == shape }) { return groups[index].handles.append(easy) }
    groups.removeAll { $0.handles.isEmpty }
    groups.append(Group(shape: shape, handles: [easy]))
  }
}
