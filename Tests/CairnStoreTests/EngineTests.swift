import Glibc
import Testing

@testable import CairnStore

/// The engine or file system that `Tests/Engines/run` has started (`make engines`), by its
/// environment.
struct TestedEngine {
  /// The location of a possible container.
  let location: StoreLocation
  /// A Boolean value that indicates whether it must be trusted; otherwise it must be refused.
  let isTrusted: Bool

  /// Nil where none is said.
  init?() {
    guard let text = Self.value("ENGINE_LOCATION") else { return nil }
    let key = S3Credentials(
      id: Self.value("ENGINE_ID") ?? "", secret: Self.value("ENGINE_SECRET") ?? "")
    let settings = S3Settings { _ throws(StoreError) in key }
    let place = "\(text)/\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    guard let location = StoreLocation(place, StoreSettings(s3: settings)) else {
      preconditionFailure("\(place) is no location")
    }
    self.location = location
    isTrusted = Self.value("ENGINE_EXPECTED") != "refused"
  }

  private static func value(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A store at a place of its own.
  func open() throws(StoreError) -> any ObjectStore {
    try location.make()
    return location.open()
  }
}

@Suite struct EngineTests {
  @Test(.enabled(if: TestedEngine() != nil))
  func `the engine at hand is trusted, or refused, as it has to be`() throws {
    let engine = try #require(TestedEngine())
    _ = try engine.open()
    let traits = try engine.location.probe()
    for finding in traits.findings {
      print("engine \(traits.fileSystem): \(finding.name) \(finding.works), \(finding.note)")
    }
    #expect(traits.allowsManyWriters == engine.isTrusted)
    #expect(!engine.isTrusted || traits.isDurable)
  }
}
