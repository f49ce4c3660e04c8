extension Message {
  /// The message as columns of the ledger and records keep it: JSON with the English text beside the code and the arguments. So a
  /// search finds the text, and a version that does not know the code can show it. A text without a code has no other member.
  public var stored: String {
    var json = JSONText()
    json.object { json in
      json.member("text", text)
      guard code != "text" else { return }
      json.member("code", code)
      json.key("arguments")
      json.value(arguments)
    }
    return json.string
  }

  /// Reads a message as it was kept. What is not in that form, as of another program, is words of somebody else; and so are the words
  /// beside a code that this version does not know, or beside arguments that are none.
  public init(stored: String) {
    do throws(JSONFault) {
      var members = try JSONReader.object(Array(stored.utf8))
      let words = try members.member("text").text()
      let message = Self.coded(.object(members))
      self = message.map { MessageTable.forms[$0.code] == nil ? .text(words) : $0 } ?? .text(words)
    } catch {
      self = .text(stored)
    }
  }

  private static func coded(_ json: JSONNode) -> Message? {
    do throws(JSONFault) {
      return try Message(json)
    } catch {
      // Ignored: the words beside it say the same.
      return nil
    }
  }
}
