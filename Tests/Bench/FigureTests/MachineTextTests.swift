import BenchFigures
import Testing

/// The file system that is measured, and the summary of strace.
@Suite struct MachineTextTests {
  private let mounts = """
    22 27 0:21 / /proc rw,relatime - proc proc rw
    27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard
    30 27 7:0 / /tmp/bench\\040one rw,relatime - ext4 /dev/loop0 rw
    31 27 0:40 / /tmp/mem rw - tmpfs tmpfs rw
    32 31 0:41 / /tmp/mem rw - xfs /dev/sdb rw
    """

  @Test(arguments: [
    ("/tmp", "/dev/vda"), ("/tmp/bench one/a", "/dev/loop0"), ("/tmp/bench", "/dev/vda"),
    ("/proc", "proc"), ("/tmp/memory", "/dev/vda"),
  ])
  func `the file system of a path is the innermost mount`(path: String, source: String) {
    #expect(MountedFileSystem(at: path, in: mounts)?.source == source)
  }

  @Test func `a later mount covers an earlier one`() {
    #expect(MountedFileSystem(at: "/tmp/mem/a", in: mounts)?.type == "xfs")
    #expect(MountedFileSystem(at: "/tmp/mem", in: "") == nil)
  }

  @Test func `a phrase says whether there is a journal`() throws {
    let root = try #require(MountedFileSystem(at: "/", in: mounts))
    #expect(root.phrase(hasJournal: true) == "ext4, journaled")
    #expect(root.phrase(hasJournal: false) == "ext4, without a journal")
    #expect(root.phrase(hasJournal: nil) == "ext4, perhaps without a journal")
    let other = try #require(MountedFileSystem(at: "/tmp/mem", in: mounts))
    #expect(other.phrase(hasJournal: nil) == "xfs, journaled")
  }

  @Test func `the summary of strace is read with and without errors`() throws {
    let summary = """
      % time     seconds  usecs/call     calls    errors syscall
      ------ ----------- ----------- --------- --------- ----------------
       71.40    0.200314        1059       189        12 futex
       20.00    0.100000           3        40           pwrite64
       20.00    0.100000           3        11           pwrite64
      ------ ----------- ----------- --------- --------- ----------------
      100.00    0.280546         123       240        12 total
      """
    let counts = try #require(CallCounts(summary))
    #expect(counts.byName == ["futex": 189, "pwrite64": 51])
    #expect(counts.total == 240)
    #expect(CallCounts("strace: attach: Operation not permitted") == nil)
  }
}
