import CairnControl
import Testing

@testable import CairnDaemon

/// Places that need a confirmation of their own before they are mirrored, shared or deleted.
struct SensitivePlaceTests {
  @Test(arguments: [
    "/etc", "/etc/passwd", "/etc/cron.d/none", "/usr/share/doc", "/bin", "/boot", "/dev/shm",
    "/proc/self", "/run/user/1", "/sys", "/var/log", "/",
  ])
  func `places of the system are sensitive`(path: Control.Path) {
    let reason = SensitiveFolder(home: "/home/ana").reason(path)
    #expect(reason?.contains("system") == true || path == "/" && reason != nil)
    #expect(SensitiveFolder(home: nil).reason(path)?.contains("system") == true)
  }

  @Test(arguments: [
    "/home/ana/Trip", "/srv/films", "/mnt/disk/Trip", "/media/ana/stick", "/run/media/ana/stick",
    "/tmp/Trip", "/opt/own", "/etcetera", "/variety/Trip", "/var/tmp/Trip",
  ])
  func `places of people aren't`(path: Control.Path) {
    #expect(SensitiveFolder(home: "/home/ana").reason(path) == nil)
  }

  @Test func `a home below a directory of the system is a home`() {
    let folder = SensitiveFolder(home: "/var/lib/ana")
    #expect(folder.reason("/var/lib/ana/Trip") == nil)
    #expect(folder.reason("/var/lib/ana")?.contains("home folder") == true)
    #expect(folder.reason("/var/lib/other")?.contains("system") == true)
  }
}
