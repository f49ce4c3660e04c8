import Jobs
import Spool

/// A name that was dropped comes back from its claim as it was, whatever its bytes are.
enum NamesInput {
  private static let id = JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 0x9E4F_0123_4567_89AB)

  static func take(_ bytes: [UInt8]) {
    let name = FileName(bytes: bytes)
    promiseIsShowable(name.shown)
    promiseIsShowable(DisplayText.escape(name.text))
    if let claim = ClaimedPath.parse(bytes) {
      let again = ClaimedPath(claim.id, claim.name)
      promise(again.path == bytes || bytes.count > 255 || bytes.contains(0x2F), "a claim that is read otherwise")
    }
    guard !bytes.isEmpty, !bytes.contains(0), !bytes.contains(0x2F) else { return }
    let claimed = ClaimedPath(id, name)
    guard claimed.folders.isEmpty else {
      return promise(bytes.count + 37 > 255, "a claim in a folder that it does not need")
    }
    let read = ClaimedPath.parse(claimed.path)
    promise(read?.id == id && read?.name == name, "the name \(name.shown) is lost in its claim")
  }
}
