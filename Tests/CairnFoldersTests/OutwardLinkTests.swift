import Testing

@testable import CairnFolders

/// A link is shared as a link. Its person is warned if it leads out of the share.
@Test(arguments: [
  ("/etc/passwd", 0, true), ("a", 0, false), ("../a", 0, true), ("../a", 1, false),
  ("../../a", 1, true), ("a/../..", 0, true), ("a/../../b", 1, false), ("./../a", 0, true),
  ("..", 0, true), ("..", 1, false), ("b/../c", 0, false), ("", 0, false), ("..a/..b", 0, false),
])
func `a link leads out if it is absolute or climbs above the root`(
  target: String, depth: Int, expected: Bool
) {
  #expect(OutwardLinks.leadsOut(Array(target.utf8), depth: depth) == expected)
}
