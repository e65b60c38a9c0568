import CairnZone
import Testing

/// A token compared with a log that continued, was cut, or was replaced.
struct ChangeTokenTests {
  private func log() -> Log {
    var log = Log.founded()
    for value in 1...3 { log.append([.typed(UInt64(value))]) }
    return log
  }

  @Test func `a token is current, behind or expired`() {
    let header = log().zone.header
    let other = ZoneID(number32(8))
    let rows: [(String, ChangeToken, UInt64, ChangeToken.Standing)] = [
      ("the head", header.token, 0, .current),
      ("the head at the floor", header.token, 4, .current),
      ("behind", token(2, 1002), 0, .behind),
      ("at the floor", token(2, 1002), 2, .behind),
      ("below the floor", token(2, 1002), 3, .expired),
      ("nothing read", token(0, 0), 0, .behind),
      ("nothing read, compacted", token(0, 0), 1, .expired),
      ("nothing read, yet a digest", token(0, 5), 0, .expired),
      ("another head", token(4, 5), 0, .expired),
      ("another entry", token(2, 5), 0, .expired),
      ("an unknown entry", token(3, 1003), 0, .expired),
      ("beyond the head", token(5, 1005), 0, .expired),
      ("a later epoch", token(2, 1002, epoch: 2), 0, .expired),
      (
        "another zone", ChangeToken(zone: other, epoch: 1, sequence: 4, head: header.head), 0,
        .expired
      ),
    ]
    for (what, token, floor, standing) in rows {
      let entries: [UInt64: Bytes32] = [1: number32(1001), 2: number32(1002)]
      var header = header
      if floor > 0 { header.floor = Floor(checkpoint: floor, digest: .zero, forgotten: 0) }
      #expect(token.standing(against: header) { entries[$0] } == standing, "\(what)")
    }
  }

  @Test func `a token of an empty zone is current until something happens`() {
    let start = ZoneHeader(zone: ZoneID(number32(7))).token
    #expect(start.standing(against: ZoneHeader(zone: start.zone)) { _ in nil } == .current)
    #expect(start.standing(against: log().zone.header) { _ in nil } == .behind)
  }

  private func token(_ sequence: UInt64, _ head: UInt64, epoch: UInt64 = 1) -> ChangeToken {
    ChangeToken(
      zone: ZoneID(number32(7)), epoch: epoch, sequence: sequence, head: number32(head))
  }
}
