import CairnStore
import Testing

@testable import CairnDaemon

/// A follower of a container sleeps until a notification, or checks at intervals.
struct FollowingTests {
  private struct Away: Error {}

  private func following() throws -> Following {
    Following(
      Configuration(
        location: try #require(StoreLocation("/c")), containerID: "1", fileSystem: "ext4",
        notifies: true, pollSeconds: 7, deviceName: "laptop"))
  }

  @Test func `a follower that gets notifications checks only after one`() throws {
    var following = try following()
    try following.begin { [Subscription {}, Subscription {}] }
    #expect(following.pause == nil)
  }

  @Test func `a follower without notifications checks at intervals`() throws {
    var following = try following()
    try following.begin { [Subscription {}, .silent] }
    #expect(following.pause == 7_000_000_000)
  }

  @Test func `an absent container is followed once it is back, and only once`() throws {
    var following = try following()
    #expect(throws: Away.self) { try following.begin { throw Away() } }
    #expect(following.pause == 7_000_000_000)
    var count = 0
    for _ in 0..<2 {
      try following.begin {
        count += 1
        return [Subscription {}]
      }
    }
    #expect(count == 1 && following.pause == nil)
  }
}
