import Jobs

/// Returns a text from a configuration file in the form for errors: in quotes, safe for a terminal, and not longer than a line.
func quoted(_ text: String) -> String {
  let limit = 120
  let shown = text.count > limit ? text.prefix(limit) + "…" : text[...]
  return "\"\(DisplayText.escape(String(shown)))\""
}

/// Returns several texts in quotes, with commas between them.
func quotedList(_ texts: some Sequence<String>) -> String { texts.map(quoted).joined(separator: ", ") }

/// Returns a key as a path has it: unchanged if TOML accepts it bare, else in quotes.
func shownKey(_ key: String) -> String {
  let bare = key.utf8.allSatisfy { NameText.isLetterOrDigit($0) || "-_".utf8.contains($0) }
  return bare && !key.isEmpty ? key : quoted(key)
}
