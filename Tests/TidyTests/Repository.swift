import Foundation

/// The project's own files as the tidy test reads them. It knows the root of the project, and no
/// rules.
struct Repository {
  let root: String

  /// The folders that belong to the project. Others at the top level are a developer's own.
  static let folders = ["Sources", "Tests", "examples", "man", ".ci"]

  /// The files at the top level that belong to the project.
  static let topLevelFiles = [
    ".editorconfig", ".gitignore", ".swift-format", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE",
    "Makefile", "NOTICE", "Package.swift", "README.md",
  ]

  /// The repository that this file was compiled from, symbolic links resolved.
  init(thisFile: String = #filePath) {
    var url = URL(fileURLWithPath: thisFile).deletingLastPathComponent().resolvingSymlinksInPath()
    for _ in ["TidyTests", "Tests"] { url.deleteLastPathComponent() }
    root = url.path
  }

  /// Paths of all files, relative to the root, in order.
  func files() -> [String] {
    var found = Self.topLevelFiles.filter { exists($0) }
    for folder in Self.folders {
      let names = FileManager.default.enumerator(atPath: root + "/" + folder)
      for case let name as String in names ?? FileManager.DirectoryEnumerator() {
        let path = folder + "/" + name
        if !path.contains("/.build"), isFile(path) { found.append(path) }
      }
    }
    return found.sorted()
  }

  /// Every Swift source that a person wrote.
  func swiftSources() throws -> [SwiftSource] { try Self.sources.get() }

  /// The sources, read once for all tests.
  private static let sources = Result { try Repository().readSwiftSources() }

  private func readSwiftSources() throws -> [SwiftSource] {
    try files().filter { $0.hasSuffix(".swift") && !$0.hasSuffix(".pb.swift") }
      .map { SwiftSource(path: $0, bytes: try bytes(of: $0)) }
  }

  func bytes(of path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: root + "/" + path)))
  }

  func text(of path: String) throws -> String {
    String(decoding: try bytes(of: path), as: UTF8.self)
  }

  func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root + "/" + path)
  }

  private func isFile(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: root + "/" + path, isDirectory: &isDirectory)
      && !isDirectory.boolValue
  }
}
