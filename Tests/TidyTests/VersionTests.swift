import Foundation
import Testing

/// All files have the same version.
struct VersionTests {
  private let repository = Repository()

  /// The output of `cairn --version`.
  private func version() throws -> String {
    let source = try repository.text(of: "Sources/CairnControl/Control.swift")
    let match = source.firstMatch(of: /static let version = "([0-9]+\.[0-9]+\.[0-9]+)"/)
    return String(try #require(match).1)
  }

  @Test func `the watcher, which imports nothing of the others, tells the same`() throws {
    let source = try repository.text(of: "Sources/cairn-watch/WatchProgram.swift")
    #expect(source.contains("let version = \"\(try version())\""))
  }

  @Test func `the package has the version that the programs tell`() throws {
    let changes = try repository.text(of: ".ci/debian/changelog")
    let newest = try #require(changes.firstMatch(of: #/^cairn \(([0-9.]+)-[0-9]+\) /#))
    let told = try version()
    #expect(String(newest.1) == told)
  }

  @Test func `the changelog begins with that version, or with what isn't released`() throws {
    let changes = try repository.text(of: "CHANGELOG.md")
    let headings = changes.matches(of: /\n## \[([^\]]+)\]/).map { String($0.1) }
    let newest = try #require(headings.first)
    let told = try version()
    #expect(newest == "Unreleased" || newest == told)
    #expect(Set(headings).count == headings.count, "a version is told twice")
  }

  @Test func `every package that is built with is pinned, and its licence is told`() throws {
    let manifest = try repository.text(of: "Package.swift")
    let pins = manifest.matches(of: #/Pin\(package: "([^"/]+)", version: "[0-9.]+",/#)
      .map { String($0.1) }
    #expect(pins.count > 5)
    let copyright = try repository.text(of: ".ci/debian/copyright")
    let notice = try repository.text(of: "NOTICE")
    for package in pins {
      #expect(notice.contains("/" + package + "\n"), "NOTICE says nothing of \(package)")
      let isTold = copyright.contains("packages/\(package)/*") || package.hasPrefix("swift-")
      #expect(isTold, ".ci/debian/copyright says nothing of \(package)")
    }
  }

  /// The requirements of the packages that Cairn is built with, as the package manager reads them.
  private func requirements(isExact: Bool) throws -> [String: String] {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "cairn-manifest-" + UUID().uuidString)
    // The remaining files are in /tmp.
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.currentDirectoryURL = URL(filePath: repository.root)
    process.arguments = [
      "-c",
      ". .ci/toolchain && CAIRN_EXACT=$1 exec swift package --scratch-path \"$2\" dump-package",
      "_", isExact ? "1" : "", folder.path,
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    struct Manifest: Decodable { let dependencies: [[String: [Dependency]]] }
    struct Dependency: Decodable {
      let identity: String
      let requirement: [String: [Bound]]?
    }
    enum Bound: Decodable {
      case version

      init(from decoder: any Decoder) throws { self = .version }
    }
    let manifest = try JSONDecoder().decode(Manifest.self, from: bytes)
    let all = manifest.dependencies.flatMap { $0.values.joined() }
    return Dictionary(
      uniqueKeysWithValues: all.map { ($0.identity, $0.requirement?.keys.first ?? "folder") })
  }

  @Test func `programs may use later versions of packages, but the build pins them`() throws {
    let manifest = try repository.text(of: "Package.swift")
    #expect(manifest.matches(of: /\.package\(url:/).count == 2, "packages have one place")
    #expect(try repository.text(of: ".ci/toolchain").contains("\nexport CAIRN_EXACT=1\n"))
    // In the tarball of `make dist` the packages are folders.
    let isTarball = FileManager.default.fileExists(atPath: repository.root + "/packages")
    for (isExact, kind) in [(true, "exact"), (false, "range")] {
      let found = try requirements(isExact: isExact)
      #expect(found.count > 5)
      #expect(Set(found.values) == [isTarball ? "folder" : kind], "\(found)")
    }
  }

  @Test func `the package needs the libraries that setup installs`() throws {
    let setup = try repository.text(of: ".ci/setup")
    let control = try repository.text(of: ".ci/debian/control")
    let libraries = setup.matches(of: /\b(lib[a-z0-9-]+-dev)\b/).map { String($0.1) }
    #expect(libraries.count > 4)
    for library in libraries { #expect(control.contains(" \(library)"), "\(library)") }
  }
}
