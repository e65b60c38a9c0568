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

  @Test func `programs may use later versions of packages, but the build pins them`() throws {
    let manifest = try repository.text(of: "Package.swift")
    #expect(manifest.matches(of: /\.package\(url:/).count == 2, "packages have one place")
    #expect(manifest.contains(".package(url: url, .upToNextMajor(from: pin.version))"))
    #expect(manifest.contains("? .package(url: url, exact: pin.version)"))
    #expect(manifest.contains(#"Context.environment["CAIRN_EXACT"]"#))
    #expect(try repository.text(of: ".ci/toolchain").contains("\nexport CAIRN_EXACT=1\n"))
  }

  @Test func `the package needs the libraries that setup installs`() throws {
    let setup = try repository.text(of: ".ci/setup")
    let control = try repository.text(of: ".ci/debian/control")
    let libraries = setup.matches(of: /\b(lib[a-z0-9-]+-dev)\b/).map { String($0.1) }
    #expect(libraries.count > 4)
    for library in libraries { #expect(control.contains(" \(library)"), "\(library)") }
  }
}
