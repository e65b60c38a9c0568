import CairnPlan
import CairnZone
import Testing

/// One row: the last agreed state, the present state of both sides, and the result.
struct Row: Sendable, CustomTestStringConvertible {
  let sentence: String
  let synced: String
  let local: String
  let remote: String
  let end: String

  init(_ sentence: String, s: String, l: String, r: String, end: String) {
    self.sentence = sentence
    synced = s
    local = l
    remote = r
    self.end = end
  }

  var testDescription: String { sentence }

  var trees: ModelTrees {
    var trees = ModelTrees()
    trees.syncedTree = tree(synced)
    trees.localTree = tree(local)
    trees.remoteTree = tree(remote)
    return trees
  }
}

/// The result for one record, or a few, with different trees, one row each. `~1` marks a conflict
/// copy.
@Suite struct PlannerTableTests {
  static let oneRecord = [
    Row("equal trees stay", s: "f:1=v", l: "f:1=v", r: "f:1=v", end: "f=v"),
    Row("a new local file goes to the zone", s: "", l: "f:1=v", r: "", end: "f=v"),
    Row("a new remote file comes", s: "", l: "", r: "f:1=v", end: "f=v"),
    Row("a local edit goes up", s: "f:1=v", l: "f:1=w@3", r: "f:1=v", end: "f=w@3"),
    Row("a remote edit comes", s: "f:1=v", l: "f:1=v", r: "f:1=w", end: "f=w"),
    Row("the same edit on both sides agrees", s: "f:1=v", l: "f:1=w", r: "f:1=w", end: "f=w"),
    Row("two edits: both survive", s: "f:1=v", l: "f:1=w", r: "f:1=x", end: "f=x f~1=w"),
    Row("two symlinks: both survive", s: "l:1>a", l: "l:1>b", r: "l:1>c", end: "l>c l~1>b"),
    Row("rename here, edit there", s: "f:1=v", l: "g:1=v", r: "f:1=w", end: "g=w"),
    Row("edit here, rename there", s: "f:1=v", l: "f:1=w", r: "g:1=v", end: "g=w"),
    Row("chmod here, edit there", s: "f:1=v", l: "f:1=v!", r: "f:1=w@4", end: "f=w!@4"),
    Row("the time goes with the bytes", s: "f:1=v@1", l: "f:1=w@2", r: "f:1=v@3", end: "f=w@2"),
    Row("two renames: the log's wins", s: "f:1=v", l: "g:1=v", r: "h:1=v", end: "h=v"),
    Row("deleted here", s: "f:1=v", l: "", r: "f:1=v", end: ""),
    Row("deleted there", s: "f:1=v", l: "f:1=v", r: "", end: ""),
    Row("deleted on both sides", s: "f:1=v", l: "", r: "", end: ""),
    Row("deleted here, edited there", s: "f:1=v", l: "", r: "f:1=w", end: "f=w"),
    Row("edited here, deleted there", s: "f:1=v", l: "f:1=w", r: "", end: "f=w"),
    Row("deleted here, renamed there", s: "f:1=v", l: "", r: "g:1=v", end: "g=v"),
    Row("a new time saves nothing", s: "f:1=v@1", l: "f:1=v@2", r: "", end: ""),
    Row("a file became a directory", s: "f:1=v", l: "f:1/ f/g:2=w", r: "f:1=v", end: "f/ f/g=w"),
    Row("a directory became a file", s: "d:1/ d/g:2=w", l: "d:1=v", r: "d:1/ d/g:2=w", end: "d=v"),
    Row(
      "a file became a directory, edited there", s: "f:1=v", l: "f:1/", r: "f:1=w",
      end: "f=w f~1/"),
  ]

  static let names = [
    Row("equal new files become one", s: "", l: "f:1=v", r: "f:2=v", end: "f=v"),
    Row("equal new symlinks become one", s: "", l: "l:1>v", r: "l:2>v", end: "l>v"),
    Row("different new files", s: "", l: "f:1=v", r: "f:2=w", end: "f=w f~1=v"),
    Row(
      "new directories merge", s: "", l: "d:1/ d/a:2=v", r: "d:3/ d/b:4=w", end: "d/ d/a=v d/b=w"),
    Row(
      "deep new trees merge", s: "", l: "d:1/ d/e:2/ d/e/f:3=v", r: "d:4/ d/e:5/ d/e/f:6=v",
      end: "d/ d/e/ d/e/f=v"),
    Row("a new file and a new directory", s: "", l: "d:1=v", r: "d:2/", end: "d/ d~1=v"),
    Row(
      "a new directory and a new file", s: "", l: "d:1/ d/f:3=w", r: "d:2=v",
      end: "d=v d~1/ d~1/f=w"),
    Row(
      "moved here to a name taken there", s: "f:1=v", l: "g:1=v", r: "f:1=v g:2=w", end: "g=w g~1=v"
    ),
    Row(
      "moved there to a name taken here", s: "f:1=v", l: "f:1=v g:2=w", r: "g:1=v", end: "g=v g~1=w"
    ),
    Row(
      "a name freed here is taken there", s: "f:1=v", l: "g:1=v", r: "f:1=v h:2=w", end: "g=v h=w"),
    Row("swap here", s: "a:1=v b:2=w", l: "b:1=v a:2=w", r: "a:1=v b:2=w", end: "a=w b=v"),
    Row("swap there", s: "a:1=v b:2=w", l: "a:1=v b:2=w", r: "b:1=v a:2=w", end: "a=w b=v"),
    Row("a chain of names", s: "a:1=u b:2=v", l: "a:1=u b:2=v", r: "b:1=u c:2=v", end: "b=u c=v"),
    Row("deleted, and another made", s: "a:1=u", l: "a:1=u", r: "a:2=v", end: "a=v"),
    Row("replaced by a rename over it", s: "a:1=u b:2=v", l: "a:2=v", r: "a:1=u b:2=v", end: "a=v"),
  ]

  static let directories = [
    Row("a directory goes", s: "d:1/ d/f:2=v", l: "", r: "d:1/ d/f:2=v", end: ""),
    Row("a directory goes there", s: "d:1/ d/f:2=v", l: "d:1/ d/f:2=v", r: "", end: ""),
    Row(
      "deleted here, a child added there", s: "d:1/ d/f:2=v", l: "", r: "d:1/ d/f:2=v d/g:3=w",
      end: "d/ d/g=w"),
    Row(
      "deleted there, a child added here", s: "d:1/ d/f:2=v", l: "d:1/ d/f:2=v d/g:3=w", r: "",
      end: "d/ d/g=w"),
    Row(
      "deleted there, a file deep in it edited here", s: "d:1/ d/e:2/ d/e/f:3=v",
      l: "d:1/ d/e:2/ d/e/f:3=w", r: "", end: "d/ d/e/ d/e/f=w"),
    Row(
      "deleted here, a file deep in it edited there", s: "d:1/ d/e:2/ d/e/f:3=v", l: "",
      r: "d:1/ d/e:2/ d/e/f:3=w", end: "d/ d/e/ d/e/f=w"),
    Row(
      "deleted there, but a child was moved out here", s: "d:1/ d/f:2=v", l: "d:1/ f:2=v",
      r: "", end: "f=v"),
    Row(
      "deleted here, a child was moved out there", s: "d:1/ d/f:2=v", l: "",
      r: "d:1/ f:2=v", end: "f=v"),
    Row(
      "moved into a directory that was deleted there", s: "d:1/ f:2=v", l: "d:1/ d/f:2=v",
      r: "f:2=v", end: "d/ d/f=v"),
    Row(
      "moved into each other", s: "a:1/ b:2/", l: "b:2/ b/a:1/", r: "a:1/ a/b:2/", end: "a/ a/b/"),
    Row(
      "moved into each other through a new directory", s: "a:1/ b:2/",
      l: "b:2/ b/x:3/ b/x/a:1/", r: "a:1/ a/b:2/", end: "a/ a/b/ a/b/x/"),
    Row(
      "a directory and its child change places", s: "a:1/ a/b:2/", l: "a:1/ a/b:2/",
      r: "b:2/ b/a:1/", end: "b/ b/a/"),
    Row(
      "a directory and its child change names and places", s: "a:1/ a/a:2/ a/a/f:3=v",
      l: "a:1/ a/a:2/ a/a/f:3=v", r: "a:2/ a/a:1/ a/f:3=v", end: "a/ a/a/ a/f=v"),
  ]

  @Test(arguments: oneRecord + names + directories)
  func `both sides end as the row says`(row: Row) throws {
    var engine = ModelEngine(row.trees)
    try engine.run()
    #expect(text(engine.trees.localTree) == row.end)
    #expect(engine.trees.remoteTree.nodes == engine.trees.localTree.nodes)
  }

  @Test(arguments: oneRecord + names + directories)
  func `without permission to write both sides end as the zone`(row: Row) throws {
    var trees = row.trees
    trees.mayWrite = false
    var engine = ModelEngine(trees)
    try engine.run()
    #expect(text(engine.trees.localTree) == text(trees.remoteTree))
    #expect(engine.trees.remoteTree.nodes == trees.remoteTree.nodes)
    let old = trees.syncedTree.contents.union(trees.remoteTree.contents)
    #expect(trees.localTree.contents.subtracting(old).isSubset(of: engine.rescued))
  }

  @Test(arguments: oneRecord + names + directories)
  func `equal trees need no plan`(row: Row) throws {
    var trees = ModelTrees()
    trees.syncedTree = tree(row.local)
    trees.localTree = trees.syncedTree
    trees.remoteTree = trees.syncedTree
    var engine = ModelEngine(trees)
    let ids = trees.localTree.nodes.keys.sorted()
    #expect(try engine.plan(ids + [recordID(99)]) == Plan())
  }
}
