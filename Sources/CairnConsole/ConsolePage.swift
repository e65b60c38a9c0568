import CairnConsolePage

/// A file of the console's page.
public struct PageFile: Sendable {
  /// Its name; the page itself has none.
  public let name: String
  /// Its media type.
  public let type: String
  /// Its bytes.
  public let bytes: [UInt8]
}

/// The console's page: a page, a style sheet, a picture and modules, as they are in the folder
/// `Page`. They are part of the program, so there is nothing to find, and nobody to change them.
public enum ConsolePage {
  /// The file that a browser finds under a name; nil if there is none.
  public static func file(_ name: String) -> PageFile? { files[name] }

  /// The names of all files.
  public static var names: [String] { files.keys.sorted() }

  private static let files: [String: PageFile] = {
    var count = 0
    let files = UnsafeBufferPointer(start: cairn_page_files(&count), count: count)
    return Dictionary(uniqueKeysWithValues: files.map { pageFile($0) }.map { ($0.name, $0) })
  }()

  private static func pageFile(_ file: cairn_page_file) -> PageFile {
    let name = String(cString: file.name)
    let bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.size))
    return switch name.split(separator: ".").last {
    case "html": PageFile(name: "", type: "text/html; charset=utf-8", bytes: bytes)
    case "css": PageFile(name: name, type: "text/css", bytes: bytes)
    case "svg": PageFile(name: name, type: "image/svg+xml", bytes: bytes)
    default: PageFile(name: name, type: "text/javascript", bytes: bytes)
    }
  }
}
