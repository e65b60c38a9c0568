import CairnControl
import Glibc
import Testing

@testable import CairnDaemon

@Suite struct ContainerAccessTests {
  @Test func `a folder that only one user may write to is reported with a command`() throws {
    for mode: mode_t in [0o700, 0o755, 0o750, 0o1700, 0o766] {
      let notice = try #require(ContainerAccess.notice(of: "/srv/c", mode: mode))
      #expect(notice.remedy.contains("chgrp -R GROUP /srv/c"))
    }
    for mode: mode_t in [0o770, 0o3770, 0o1777, 0o2775] {
      #expect(ContainerAccess.notice(of: "/srv/c", mode: mode) == nil)
    }
    #expect(ContainerAccess.notice(of: "/srv/c", mode: 0o700)?.message.contains("0700") == true)
    #expect(ContainerAccess.notice(of: nil) == nil)
  }
}
