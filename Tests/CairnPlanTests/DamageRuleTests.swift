import CairnPlan
import Testing

/// Damage and edits after the machine stopped.
@Suite struct DamageRuleTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let sentence: String
    let stop: DamageRule.LastStop
    let size: UInt64
    var isZeros = false
    var hasHoles = false
    /// The agreed file has 100 bytes and the time 50.
    let modified: Int64
    let isDamaged: Bool

    var testDescription: String { "\(sentence), \(stop)" }
  }

  static let cases = [
    Case(sentence: "empty", stop: .cut, size: 0, isZeros: true, modified: 60, isDamaged: true),
    Case(sentence: "zeros", stop: .cut, size: 100, isZeros: true, modified: 60, isDamaged: true),
    Case(
      sentence: "more zeros", stop: .cut, size: 200, isZeros: true, modified: 60, isDamaged: true),
    Case(
      sentence: "zeros in the end", stop: .cut, size: 100, hasHoles: true, modified: 60,
      isDamaged: true),
    Case(
      sentence: "zeros in the end", stop: .orderly, size: 100, hasHoles: true, modified: 60,
      isDamaged: false),
    Case(sentence: "shorter, untouched", stop: .cut, size: 60, modified: 50, isDamaged: true),
    Case(sentence: "shorter, older", stop: .cut, size: 60, modified: 40, isDamaged: true),
    Case(sentence: "shorter, written", stop: .cut, size: 60, modified: 51, isDamaged: false),
    Case(sentence: "longer, untouched", stop: .cut, size: 160, modified: 50, isDamaged: false),
    Case(sentence: "as long, untouched", stop: .cut, size: 100, modified: 50, isDamaged: false),
    Case(sentence: "empty", stop: .orderly, size: 0, isZeros: true, modified: 60, isDamaged: false),
    Case(
      sentence: "empty, untouched", stop: .orderly, size: 0, isZeros: true, modified: 50,
      isDamaged: true),
    Case(sentence: "shorter, untouched", stop: .orderly, size: 1, modified: 50, isDamaged: true),
    Case(
      sentence: "empty, untouched", stop: .none, size: 0, isZeros: true, modified: 50,
      isDamaged: false),
    Case(sentence: "shorter, untouched", stop: .none, size: 1, modified: 50, isDamaged: false),
  ]

  @Test(arguments: cases) func `a file that no write can explain is damaged`(_ row: Case) {
    let file = DamageRule.File(
      size: row.size, agreedSize: 100, isZeros: row.isZeros, hasHoles: row.hasHoles,
      modified: row.modified, agreedModified: 50)
    #expect(DamageRule.isDamaged(file, after: row.stop) == row.isDamaged)
  }

  @Test func `a file whose agreed state is empty can't be damaged`() {
    let file = DamageRule.File(
      size: 0, agreedSize: 0, isZeros: true, modified: 0, agreedModified: 0)
    #expect(!DamageRule.isDamaged(file, after: .cut))
  }

  @Test func `only another boot means that the machine stopped`() {
    #expect(DamageRule.LastStop(last: "a", wasClean: false, now: "a") == .none)
    #expect(DamageRule.LastStop(last: nil, wasClean: false, now: "a") == .none)
    #expect(DamageRule.LastStop(last: "a", wasClean: false, now: nil) == .none)
    #expect(DamageRule.LastStop(last: "a", wasClean: true, now: "b") == .orderly)
    #expect(DamageRule.LastStop(last: "a", wasClean: false, now: "b") == .cut)
  }

  @Test func `a run that the index forgot may have ended in any way`() {
    let stop = DamageRule.LastStop(last: nil, wasClean: false, now: "a", isForgotten: true)
    #expect(stop == .unknown && stop.mayHaveCut)
    #expect(DamageRule.LastStop(last: "a", wasClean: false, now: "a", isForgotten: true) == .none)
    #expect(DamageRule.LastStop(last: nil, wasClean: false, now: nil, isForgotten: true) == .none)
    let newer = DamageRule.File(
      size: 0, agreedSize: 9, isZeros: true, modified: 2, agreedModified: 1)
    #expect(DamageRule.isDamaged(newer, after: stop))
    #expect(!DamageRule.isDamaged(newer, after: .orderly))
    let shorter = DamageRule.File(
      size: 4, agreedSize: 9, isZeros: false, modified: 2, agreedModified: 1)
    #expect(!DamageRule.isDamaged(shorter, after: stop), "somebody wrote it")
  }
}
