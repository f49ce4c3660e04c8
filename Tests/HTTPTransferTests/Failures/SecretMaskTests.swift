import FoundationEssentials
import HTTPTransfer
import Testing

@Suite struct SecretMaskTests {
  private static let token = "aB+/=\"&'%\\<z9"

  @Test(arguments: [
    #"{"t":"aB+/=\"&'%\\<z9"}"#, #"{"t":"aB+\/=\"&'%\\<z9"}"#, #"{"t":"aB\u002b\u002F=\u0022\u0026\u0027%\\\u003cz9"}"#,
    "t=aB%2B%2F%3D%22%26%27%25%5C%3Cz9", "t=aB%2b%2f%3d%22%26%27%25%5c%3cz9",
    "<t>aB+/=&quot;&amp;&apos;%\\&lt;z9</t>", "<t>aB&#43;&#x2F;=&#34;&#38;&#39;%\\&#x3c;z9</t>",
    "aB+/=\"&'%\\<z9", "aB+/=\"&'%\\<z9\u{301}",
  ]) func hidesSecretInAnyEncoding(_ text: String) {
    // By scalars: a mark may combine with the last character.
    let hidden = SecretMask([Self.token]).hiding(in: text).unicodeScalars
    #expect(hidden.contains("[") && !hidden.contains("z"), "\(String(hidden))")
  }

  @Test(arguments: 0..<6) func hidesSecretInsideBase64(_ shift: Int) {
    let dump = Data((String(repeating: "x", count: shift) + "Bearer t0ken-of-ours\r\nmore").utf8).base64EncodedString()
    for text in [dump, dump.replacing("+", with: "-").replacing("/", with: "_")] {
      let hidden = SecretMask(["t0ken-of-ours"]).hiding(in: text)
      // At both ends a character is left that a part of the secret and a part of its neighbour make.
      #expect(hidden.contains("[secret]") && hidden.count <= text.count - 16 + 8, "\(hidden)")
    }
  }

  @Test func headerPartsAreSecretsToo() {
    let basic = SecretMask(["Basic \(Data("user:pass-word".utf8).base64EncodedString())"])
    #expect(basic.hiding(in: "user:pass-word") == "[secret]")
    #expect(basic.hiding(in: "the password pass-word") == "the password [secret]")
    #expect(basic.hiding(in: "dXNlcjpwYXNzLXdvcmQ=").hasPrefix("[secret]"))
    #expect(SecretMask(["ApiKey abc-def"]).hiding(in: "is abc-def known?") == "is [secret] known?")
  }

  @Test func nonSecretTextIsUnchanged() {
    let text = "Authorization: Bearer t0ken-of-ours, again t0ken-of-ours"
    #expect(SecretMask(["", "a", "abc"]).hiding(in: text) == text)
    #expect(
      SecretMask(["t0ken-of-ours", "t0ken-of"]).hiding(in: text) == "Authorization: Bearer [secret], again [secret]")
    // Not the beginning of a secret where nothing was cut.
    #expect(SecretMask(["t0ken-of-ours-and-more"]).hiding(in: text) == text)
    #expect(SecretMask.none.hiding(in: text) == text)
  }

  @Test(arguments: [
    ("X-Api-Key", true), ("x-amz-server-side-encryption-customer-key", true), ("Cookie", true), ("X-Auth-Token", true),
    ("X-Source", false), ("x-amz-server-side-encryption-aws-kms-key-id", false),
    ("x-amz-server-side-encryption-customer-key-MD5", false),
  ]) func headerNamesMarkSecrets(_ name: String, _ isSecret: Bool) {
    #expect(SecretMask.secrets(of: [name: "value"]) == (isSecret ? ["value"] : []))
  }
}
