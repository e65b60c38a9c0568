import CairnCloud
import Foundation
import Testing

/// A container in memory with its people, and a folder that goes away with it.
final class Cloud: Sendable {
  let memory = MemoryCloud()
  let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "cairn-kit-\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: folder) } catch {
      Issue.record("the test's folder can't be removed: \(error)")
    }
  }

  /// The container as a person sees it; with a home that is a folder of the test, or in memory.
  func open(_ handle: String, home: String? = nil) async throws(CloudError) -> CloudContainer {
    try await CloudContainer.open(
      .memory(memory), as: .person(handle, home: home.map { "\(folder)/\($0)" }))
  }

  /// A zone of Ana's that Bob has accepted.
  func shared(
    _ permission: Share.Permission = .readWrite
  ) async throws -> (ana: CloudZone, bob: CloudZone) {
    let (ana, bob) = (try await open("ana"), try await open("bob"))
    let zone = try await ana.privateDatabase.zone(named: "Trip")
    _ = try await zone.share(title: "Trip")
    _ = try await zone.invite([bob.me], permission)
    let invitation = try #require(try await bob.invitations().first)
    return (zone, try await bob.accept(invitation))
  }

  /// A file with bytes.
  func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = "\(folder)/\(name)"
    try Data(bytes).write(to: URL(filePath: path))
    return path
  }
}

/// The code of the error that the body throws; nil if it throws none.
func code(_ body: () async throws -> Void) async throws -> CloudError.Code? {
  do { try await body() } catch let error as CloudError { return error.code }
  return nil
}
