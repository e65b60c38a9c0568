import BuiltPrograms
import Foundation
import Testing

@testable import CairnDaemon

@Suite struct LiveUpgradeTests {
  private let old = LiveUpgrade.File(device: 1, number: 1)
  private let new = LiveUpgrade.File(device: 1, number: 2)
  private let newer = LiveUpgrade.File(device: 1, number: 3)
  private let quiet = LiveUpgrade.quiet

  @Test func `nothing happens while the program is unchanged or missing`() {
    var succession = LiveUpgrade(old)
    #expect(succession.look(old, hasStirred: true, at: 0) == .wait(nil))
    #expect(succession.look(nil, hasStirred: true, at: 0) == .wait(nil))
  }

  @Test func `another program is asked once the folder was quiet, and then started`() {
    var succession = LiveUpgrade(old)
    #expect(succession.look(new, hasStirred: true, at: 5) == .wait(5 + quiet))
    // The package's other programs arrive.
    #expect(succession.look(new, hasStirred: true, at: 10) == .wait(10 + quiet))
    #expect(succession.look(new, hasStirred: false, at: 5 + quiet) == .wait(10 + quiet))
    #expect(succession.look(new, hasStirred: false, at: 10 + quiet) == .ask)
    succession.answered(runs: true, at: 11 + quiet)
    // Later changes in the folder don't matter.
    #expect(succession.look(new, hasStirred: true, at: 12 + quiet) == .handOver)
    #expect(succession.look(new, hasStirred: false, at: 13 + quiet) == .handOver)
  }

  @Test func `a program that can't be run is asked again later, or after a change`() {
    var succession = LiveUpgrade(old)
    _ = succession.look(new, hasStirred: true, at: 0)
    #expect(succession.look(new, hasStirred: false, at: quiet) == .ask)
    succession.answered(runs: false, at: quiet)
    let again = quiet + LiveUpgrade.again
    #expect(succession.look(new, hasStirred: false, at: quiet) == .wait(again))
    #expect(succession.look(new, hasStirred: true, at: quiet + 1) == .wait(2 * quiet + 1))
    #expect(succession.look(new, hasStirred: false, at: 2 * quiet + 1) == .ask)
  }

  @Test func `a third program replaces the second one, and the first one may come back`() {
    var succession = LiveUpgrade(old)
    _ = succession.look(new, hasStirred: true, at: 0)
    _ = succession.look(new, hasStirred: false, at: quiet)
    succession.answered(runs: true, at: quiet)
    #expect(succession.look(newer, hasStirred: true, at: quiet) == .wait(2 * quiet))
    #expect(succession.look(old, hasStirred: true, at: quiet) == .wait(nil))
    #expect(succession.look(newer, hasStirred: true, at: 9) == .wait(9 + quiet))
  }

  @Test func `a program is asked for its version, and one without it isn't started`() throws {
    let folder = "/tmp/cairn-succession-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/cairnd"
    let file = ProgramFile(path: path, own: old)
    func install(_ script: String, mode: Int = 0o700) throws {
      try installScript(script, at: path, mode: mode)
    }
    #expect(file.standing == nil && file.standingVersion() == nil)
    try install("#!/bin/sh\n[ \"$*\" = --version ] && echo 9.8.7\n")
    #expect(file.standing != nil && file.standing != old)
    #expect(file.standingVersion() == "9.8.7")
    for wrong in ["echo 9.8.7; exit 1", "echo", "echo usage: cairnd", "printf '9\\033[2J'"] {
      try install("#!/bin/sh\n\(wrong)\n")
      #expect(file.standingVersion() == nil, "\(wrong)")
    }
    try install("half of a program")
    #expect(file.standingVersion() == nil)
    try install("#!/bin/sh\necho 1\n", mode: 0o600)
    #expect(geteuid() == 0 || file.standing == nil)
  }
}
