import Testing

@testable import CairnDaemon

/// A bind mount shows a directory without its parents.
struct MountViewsTests {
  private let views = MountViews(
    Array(
      """
      21 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
      30 21 8:2 / /data rw - ext4 /dev/sdb1 rw
      31 21 8:2 /cloud/users /mnt/my\\040users rw shared:1 - ext4 /dev/sdb1 rw
      32 21 8:1 /home/ana /x rw - ext4 /dev/sda1 rw
      33 32 8:2 /cloud /x/deep rw - ext4 /dev/sdb1 rw
      34 21 0:25 / /run rw - tmpfs tmpfs rw
      35 21 8:2 /elsewhere /mnt/e rw - ext4 /dev/sdb1 rw
      rubbish

      """.utf8))

  @Test(arguments: [
    ("/mnt/my users", ["/data/cloud/users", "/x/deep/users"]),
    ("/mnt/my users/1/log", ["/data/cloud/users/1/log", "/x/deep/users/1/log"]),
    ("/x", ["/home/ana"]), ("/x/a", ["/home/ana/a"]), ("/x/deep/a", ["/data/cloud/a"]),
    ("/xy", []), ("/data/cloud/users", []), ("/", []), ("/run/a", []),
    ("/mnt/e", ["/data/elsewhere"]),
  ]) func `other paths to a directory are found`(path: String, others: [String]) {
    let found = views.others(of: Array(path.utf8)).map { String(decoding: $0, as: UTF8.self) }
    #expect(found.sorted() == others)
  }

  @Test func `mounts below a path are known`() {
    func points(_ path: String) -> [String] {
      views.points(below: Array(path.utf8)).map { String(decoding: $0, as: UTF8.self) }.sorted()
    }
    #expect(points("/mnt") == ["/mnt/e", "/mnt/my users"])
    #expect(points("/x") == ["/x/deep"] && points("/x/deep").isEmpty && points("/m").isEmpty)
    #expect(points("/").count == 6)
  }

  @Test func `the later mount at a point is the visible one`() {
    let views = MountViews(
      Array("1 0 8:1 / / rw\n2 1 8:1 /a /m rw\n3 1 8:1 /b /m rw\n".utf8))
    #expect(views.others(of: Array("/m/x".utf8)) == [Array("/b/x".utf8)])
  }
}
