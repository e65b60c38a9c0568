/// A file of the console's page.
public struct PageFile: Sendable {
  /// Its name; the page itself has none.
  public let name: String
  /// Its media type.
  public let type: String
  /// Its bytes.
  public let bytes: [UInt8]
}

/// The console's page: a page, a style sheet, a picture and modules, as they stand in the folder
/// `Page`. They are part of the program, so there is nothing to find, and nobody to change them.
public enum ConsolePage {
  /// The file that a browser finds under a name; nil if there is none.
  public static func file(_ name: String) -> PageFile? { files[name] }

  /// The names of all files.
  public static var names: [String] { files.keys.sorted() }

  private static let files = Dictionary(
    uniqueKeysWithValues: [
      PageFile(name: "", type: "text/html; charset=utf-8", bytes: PackageResources.console_html),
      PageFile(name: "console.css", type: "text/css", bytes: PackageResources.console_css),
      PageFile(name: "icon.svg", type: "image/svg+xml", bytes: PackageResources.icon_svg),
      module("activity.js", PackageResources.activity_js),
      module("console.js", PackageResources.console_js),
      module("control.js", PackageResources.control_js),
      module("compare.js", PackageResources.compare_js),
      module("elements.js", PackageResources.elements_js),
      module("files.js", PackageResources.files_js),
      module("folders.js", PackageResources.folders_js),
      module("past.js", PackageResources.past_js),
      module("people.js", PackageResources.people_js),
      module("records.js", PackageResources.records_js),
      module("traffic.js", PackageResources.traffic_js),
      module("trouble.js", PackageResources.trouble_js),
      module("words.js", PackageResources.words_js),
    ].map { ($0.name, $0) })

  private static func module(_ name: String, _ bytes: [UInt8]) -> PageFile {
    PageFile(name: name, type: "text/javascript", bytes: bytes)
  }
}
