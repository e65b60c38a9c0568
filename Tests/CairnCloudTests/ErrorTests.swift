import CairnIdentity
import CairnIndex
import CairnReplica
import CairnZone
import Foundation
import Testing

@testable import CairnCloud
@testable import CairnStore

/// The errors of the lower layers, as programs get them.
@Suite struct ErrorTests {
  /// Returns whether a text has a command line: the lower layers quote them.
  private static func hasCommand(_ text: String) -> Bool {
    text.contains("`") || text.contains(/\bcairn [a-z]/)
  }

  private static func lower() throws -> [any Error] {
    let key = try #require(ObjectKey("users/a/log"))
    let chunk = try #require(ChunkName(bytes: [UInt8](repeating: 1, count: 32)))
    let format = FormatError("entry", "is too short")
    let store = (Int32(1)...133).flatMap { number in
      [
        StoreError.system(number, "read", root: "/cloud", key: key),
        StoreError.rootFailure(number, root: "/cloud", key: key),
      ]
    }
    let identity: [IdentityError] = [
      .unreadable(format), .newerFormat(2), .newer(format), .empty, .wrongPerson, .brokenChain(1),
      .inactiveDevice(1), .badSignature(1), .invalid(1, "no"), .noPlace(1), .handle("A b"),
      .name(""),
    ]
    let files: [Account.FileFailure] = [
      .exposed(path: "/keys", mode: 0o644), .foreign(path: "/keys"),
      .system(path: "/keys", call: "open", errno: 13), .unreadable(path: "/keys", format),
    ]
    let contents: [ContentError] = [
      .missing(key), .damaged(key, why: "is short"), .unknownChunk(chunk), .invalid(format),
    ]
    let others: [any Error] = [
      PeopleError.ambiguous(handle: "ana", users: []), IndexDamage("header"), CancellationError(),
      StoreError(code: .paused, cause: "paused"),
    ]
    let all: [[any Error]] = [store, identity, files, contents, others]
    return all.flatMap { $0 }
  }

  @Test func `no text of an error has a command line`() throws {
    let all = try Self.lower()
    #expect(all.count > 280)
    for error in all {
      let error = CairnCloud.CloudError(error)
      #expect(!Self.hasCommand(error.description), "\(error)")
    }
    for code in CairnIdentity.CloudError.Code.allCases {
      let error = CairnCloud.CloudError(
        CairnIdentity.CloudError(code, "it failed", remedy: "run `cairn verify`"))
      #expect(error.code.rawValue == code.rawValue && error.message == "it failed")
      #expect((error.retryAfter != nil) == (error.remedy == .retry))
    }
  }

  @Test func `an error of the storage says whether trying again helps`() {
    func error(_ code: StoreError.Code) -> CairnCloud.CloudError {
      CairnCloud.CloudError(StoreError(code: code, cause: "no"))
    }
    #expect(error(.unreachable).remedy == .retry && error(.throttled).remedy == .retry)
    #expect(error(.full).remedy == .makeRoom && error(.denied).remedy == .askOwner)
    #expect(error(.corrupt).remedy == .repair && error(.unsupported).remedy == .none)
  }
}
