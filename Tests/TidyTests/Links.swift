/// The paths that a Markdown document names: its relative links, and quoted paths below a folder of
/// the project.
enum Links {
  /// Paths relative to the root of the project, for a document in this folder ("" or "a/").
  static func named(in text: String, folder: String) -> [String] {
    let linked = text.matches(of: /\]\(([^)#:]+)\)/).map { folder + $0.1 }
    let quoted = text.matches(of: /`((?:Sources|Tests|examples|man|\.ci)\/[^` *]*)`/).map {
      String($0.1)
    }
    return linked + quoted
  }

  /// The documents that a text mentions by their names alone: Markdown files in capital letters.
  static func documents(in text: String) -> Set<String> {
    Set(text.matches(of: /\b[A-Z][A-Z0-9_\-]*\.md\b/).map { String($0.0) })
  }
}
