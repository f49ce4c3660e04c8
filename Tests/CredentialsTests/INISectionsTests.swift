import Testing

@testable import Credentials

@Suite struct INISectionsTests {
  @Test func readsSectionsInOrder() {
    let sections = INISections(
      """
      early = lost
      # a comment
      [ one ]
      Key = value with = signs
        Key3 = indented
      key2=
        nested = skipped
      ; another
      [two]
      a = 1
      a = 2
      no sign
      [one]
      b\t=\tc\t
      """
    ).sections
    #expect(sections.map(\.title) == ["one", "two", "one"])
    #expect(
      sections.map(\.values) == [
        ["key": "value with = signs", "key3": "indented", "key2": ""], ["a": "2"], ["b": "c"],
      ])
  }

  /// In a file that is indented as a whole, a setting beside an empty one is no nested one.
  @Test func nestedIsWhatIsIndentedMore() {
    let sections = INISections("[one]\n  a =\n    b = nested\n\n  c = 1\n    d = 2\n").sections
    #expect(sections.map(\.values) == [["a": "", "c": "1", "d": "2"]])
  }

  @Test func configurationOverridesByCredentials() {
    let configuration = AWSConfiguration(
      configuration: "[profile dev]\nregion = a\naws_access_key_id = old\n[services x]\nregion = no\n",
      credentials: "[dev]\naws_access_key_id = new\n")
    #expect(configuration.profiles == ["dev": ["region": "a", "aws_access_key_id": "new"]])
  }
}
