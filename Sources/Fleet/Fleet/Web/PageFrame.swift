import ControlAPI

/// The head, navigation and foot that all pages have.
struct PageFrame: Sendable {
  /// The person who looks.
  var visitor: Visitor
  /// The time of the figures by the database's clock, in RFC 3339.
  var asOf: String

  /// Returns a whole page.
  ///
  /// - Parameter refresh: true if the page's script asks again and again for the sections that may change.
  func page(_ title: String, _ main: Markup, refresh: Bool = true) -> Markup {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(title)</title>
    <link rel="icon" href="/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/page.css">
    <link rel="stylesheet" href="/fleet.css">
    <script src="/states.js" defer></script>
    <script src="/words.js" defer></script>
    <script src="/messages.js" defer></script>
    <script src="/sentences.js" defer></script>
    <script src="/fleet-words.js" defer></script>
    <script src="/fleet.js" defer></script>
    </head>
    <body\(refresh ? " data-refresh" : "")>
    <a class="skip" href="#main">\(Markup.words("f_skip", "To the content"))</a>
    <header>
      <h1>\(Markup.words("f_title", "Waybill fleet"))</h1>
      <nav aria-label="Pages" data-label="f_pages"><a href="/">\(Markup.words("f_overview", "Overview"))</a> \
    <a href="/jobs">\(Markup.words("jobs", "Jobs"))</a></nav>
      <p id="about">\(Self.words(visitor))</p>
      <p id="live" role="status" data-live>\(Markup.words("f_asOf", "as of")) \(Markup.time(asOf))</p>
      <select id="language" aria-label="Language / 语言" hidden><option value="en">English</option><option value="zh">中文</option></select>
    </header>
    <main id="main" tabindex="-1">
    \(main)
    </main>
    </body>
    </html>

    """
  }

  /// Returns a page for when there is no database: it names nobody, and nothing on it changes.
  static func bare(_ title: String, _ main: Markup) -> Markup {
    """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark"><title>\(title)</title>
    <link rel="stylesheet" href="/page.css"><link rel="stylesheet" href="/fleet.css"></head>
    <body><header><h1>\(title)</h1></header><main id="main">\(main)</main></body></html>

    """
  }

  private static func words(_ visitor: Visitor) -> Markup {
    switch visitor {
    case .person(let name): .words("f_youAre", "You answer as {0}", name)
    case .looking(.nobodyIsSet):
      .words("f_nobodyIsSet", "You can look. To answer: user, user_header or peer in fleet.toml")
    case .looking(.proxyNamesNobody(let header)):
      .words("f_noHeader", "You can look: the reverse proxy names nobody ({0})", header)
    case .looking(.roleMayNotAsk):
      .words("f_roleMayNot", "You can look: this page's role in the database may not ask hosts for anything")
    }
  }

  /// Returns a page that says why something was not done.
  static func fault(_ title: Markup, _ words: String) -> Markup {
    """
    <section><h2>\(title)</h2><p id="verdict" class="bad">\(words)</p>\
    <p><a href="/">\(Markup.words("f_overview", "Overview"))</a></p></section>
    """
  }
}
