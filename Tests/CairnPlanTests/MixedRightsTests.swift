import CairnPlan
import CairnZone
import Testing

/// A zone in which this person may change some records and not others, as in the public database.
/// Forbidden changes are restored, allowed ones go through, and neither stops the other. The model
/// engine itself refuses a change of a foreign record.
@Suite struct MixedRightsTests {
  /// One row: the foreign records, and the trees of an ordinary row.
  private static let rows: [(foreign: [Int], row: Row)] = [
    (
      [1],
      Row("a foreign edit", s: "f:1=v g:2=v", l: "f:1=w g:2=x", r: "f:1=v g:2=v", end: "f=v g=x")
    ),
    ([1], Row("a foreign file deleted", s: "f:1=v g:2=v", l: "", r: "f:1=v g:2=v", end: "f=v")),
    (
      [1],
      Row(
        "a foreign file moved", s: "d:2/ f:1=v", l: "d:2/ d/f:1=v", r: "d:2/ f:1=v", end: "d/ f=v")
    ),
    (
      [1],
      Row("moved and edited", s: "d:2/ f:1=v", l: "d:2/ d/f:1=w", r: "d:2/ f:1=v", end: "d/ f=v")
    ),
    ([1], Row("a foreign bit", s: "f:1=v", l: "f:1=v!", r: "f:1=v", end: "f=v")),
    (
      [1],
      Row("one's own renamed", s: "f:1=v g:2=v", l: "f:1=v h:2=v", r: "f:1=v g:2=v", end: "f=v h=v")
    ),
    (
      [1],
      Row(
        "own files in a foreign directory", s: "d:1/", l: "d:1/ d/f:2=v", r: "d:1/", end: "d/ d/f=v"
      )
    ),
    (
      [1],
      Row(
        "a foreign directory deleted with own files in it", s: "d:1/ d/f:2=v", l: "",
        r: "d:1/ d/f:2=v", end: "d/")
    ),
    (
      [2],
      Row(
        "an own directory deleted with foreign files in it", s: "d:1/ d/f:2=v d/g:3=w", l: "",
        r: "d:1/ d/f:2=v d/g:3=w", end: "d/ d/f=v")
    ),
    (
      [1],
      Row(
        "a foreign directory moved, and a file made in it", s: "d:1/ e:2/",
        l: "e:2/ e/d:1/ e/d/f:3=v", r: "d:1/ e:2/", end: "d/ d/f=v e/")
    ),
    (
      [2],
      Row(
        "an own directory renamed with foreign files in it", s: "d:1/ d/f:2=v",
        l: "e:1/ e/f:2=w e/g:3=x", r: "d:1/ d/f:2=v", end: "e/ e/f=v e/g=x")
    ),
    (
      [1],
      Row(
        "an own file renamed over a foreign one", s: "f:1=v g:2=w", l: "f:2=w",
        r: "f:1=v g:2=w", end: "f=v f~1=w")
    ),
    (
      [1],
      Row(
        "swapped with an own one", s: "a:1=v b:2=w", l: "a:2=w b:1=v", r: "a:1=v b:2=w",
        end: "a=v a~1=w")
    ),
    (
      [1],
      Row(
        "a foreign file became a directory", s: "f:1=v", l: "f:1/ f/g:2=w", r: "f:1=v",
        end: "f=v f~1/ f~1/g=w")
    ),
    (
      [1],
      Row(
        "a foreign directory became a file", s: "d:1/ d/f:2=v", l: "d:1=w", r: "d:1/ d/f:2=v",
        end: "d/")
    ),
    (
      [1], Row("deleted by its creator", s: "d:1/ d/f:2=v", l: "d:1/ d/f:2=v", r: "d:1/", end: "d/")
    ),
    (
      [1],
      Row(
        "a foreign directory is deleted there, with a new file here", s: "d:1/",
        l: "d:1/ d/f:2=v", r: "", end: "d/ d/f=v")
    ),
    (
      [1, 2],
      Row(
        "a foreign directory moved into another, which went into it there", s: "a:1/ b:2/ c:3/",
        l: "b:2/ b/a:1/ b/a/c:3/", r: "a:1/ a/b:2/ c:3/", end: "a/ a/b/ a/c/")
    ),
  ]

  @Test(arguments: rows.indices)
  func `allowed changes go through, and the rest is restored`(index: Int) throws {
    let (foreign, row) = Self.rows[index]
    var trees = row.trees
    trees.foreign = Set(foreign.map(recordID))
    var engine = ModelEngine(trees)
    try engine.run()
    #expect(text(engine.trees.localTree) == row.end, "\(row.sentence)")
    try MixedRights.checkEnd(engine, from: trees)
  }
}
