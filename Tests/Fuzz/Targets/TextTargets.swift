import CairnControl
import CairnFolders
import CairnPlan
import CairnZone

@testable import CairnDaemon
@testable import CairnIdentity

extension FuzzTarget {
  /// Text that a person pastes or writes, and the output of a program that Cairn started.
  static let textTargets = [
    FuzzTarget("link") {
      let founder = Cast.ana.user
      let plain = ShareLink(container: Cast.container, founder: founder, zone: Cast.zone)
      let full = ShareLink(
        container: Cast.container, founder: founder, zone: Cast.zone, location: "/srv/cairn",
        secret: Cast.secret)
      let others = ShareLink(
        container: Cast.container, founder: founder, zone: Cast.zone, secret: Cast.secret,
        inviter: Cast.nonce)
      return [plain.text, full.text, others.text, "<" + full.text + ">.\n"].map { Array($0.utf8) }
    } check: { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      guard let link = try unlessRefused({ try ShareLink(parsing: text) }) else { return }
      try must(try ShareLink(parsing: link.text) == link, "a link changes")
      try must(
        link.secret == nil || !link.description.contains("#"), "a link shows its secret")
    },

    FuzzTarget("device-code") {
      let code = DeviceCode(
        container: Cast.container, path: Array("/srv/cairn".utf8), user: Cast.ana.user,
        expires: 5, secret: Cast.secret, anchor: ChainAnchor(Cast.person))
      return [Array(code.text.utf8)]
    } check: { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      guard let code = try unlessRefused({ try DeviceCode(parsing: text) }) else { return }
      try must(try DeviceCode(parsing: code.text) == code, "a code changes")
    },

    FuzzTarget("configuration") {
      let whole = """
        folder = "/home/ana"
        [container]
        path = "/srv/cairn"
        id = "00000000000000030000000000000003"
        file-system = "ext4"
        notifies = true
        poll-seconds = 5
        [network]
        upload-limit = 100000
        [device]
        name = "desk"
        [account]
        anonymous = false
        """
      return [Array(whole.utf8)]
    } check: { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      guard let found = try unlessRefused({ try Configuration(text, from: "cairn.conf") }) else {
        return
      }
      try must((1...86_400).contains(found.pollSeconds), "a container that is asked never")
      try must(found.folder.map { $0.hasPrefix("/") } ?? true, "a folder that is anywhere")
      try must(
        try Configuration(found.text, from: "cairn.conf") == found, "a configuration changes")
    },

    // The keys and values of any file, even if it is no configuration of Cairn's.
    FuzzTarget("configuration-text") {
      let whole = """
        a = "x\\u00e4\\n\\"" # comment
        b = 'y\\'
        [s]
        c = [ 1, -2_000, "z",
          true, ] # list
        d = 2026-11-27T10:00:00Z
        """
      return [Array(whole.utf8)]
    } check: { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      guard let found = try unlessRefused({ try ConfigurationReader.read(text) }) else { return }
      try must(try ConfigurationReader.read(found.text) == found, "a configuration changes")
    },

    // The stream of cairn-watch(8), in two reads. The place of the cut must not matter.
    FuzzTarget("watch") {
      let events = [
        "ready 1 3", "changed 1 31 a/b", "written 1 7 a", "writing 1 7 a", "tree 1 0 d", "overflow",
        "limit 1 x", "lost 1", "unwatched 1", "synced 7", "failed 1 no such folder",
      ]
      return [[4] + events.flatMap { Array($0.utf8) + [0] }]
    } check: { bytes in
      var parts = Parts(bytes)
      let cut = Int(parts.byte())
      let stream = parts.all()
      var whole = WatchStreamParser()
      var halves = WatchStreamParser()
      let expected = try unlessRefused { try whole.parse(stream[...]) }
      let found = try unlessRefused {
        try halves.parse(stream.prefix(cut)) + halves.parse(stream.dropFirst(cut))
      }
      try must(expected == found, "it matters how a stream is read")
    },

    // A `.cairnignore`, a NUL, and a path to match.
    FuzzTarget("ignore") {
      [Array("*.o\n!/a/**/b\n[a-z]?\\#/\n".utf8) + [0] + Array("a/x/b.o".utf8)]
    } check: { bytes in
      let halves = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
      let rules = IgnoreRules(parsing: halves[0])
      let path = (halves.count > 1 ? halves[1] : []).split(separator: UInt8(ascii: "/"))
        .compactMap { FileName($0) }
      for isDirectory in [true, false] {
        let isIgnored = IgnoreMatcher().ignores(path, isDirectory: isDirectory, rules: [rules])
        try must(
          isIgnored || path.count != 1 || path[0].bytes != Array(".cairn".utf8),
          "a rule brings the engine's own folder back")
      }
    },

    // Other people's names in the name of a conflict copy, and in shown text.
    FuzzTarget("shown-name", limit: 1024) {
      [
        Parts.joined([Array("a.tar.gz".utf8), Array("bob".utf8), Array("host".utf8)]),
        Parts.joined([[0xFF, 0x0A, 0x1B], Array("\u{202E}x".utf8), []]),
      ]
    } check: { bytes in
      var parts = Parts(bytes)
      let name = FileName(parts.counted())
      let who = String(decoding: parts.counted(), as: UTF8.self)
      let host = String(decoding: parts.counted(), as: UTF8.self)
      let label = ConflictLabel(
        who: who, host: host, year: 2026, month: 11, day: 21, hour: 14, minute: 3)
      if let name {
        let copy = conflictName(of: name, label: label, attempt: 1 + Int(parts.byte()))
        try must(copy != name && copy.bytes.count <= 255, "a conflict copy without a name")
      }
      let shown = Control.Path.printable(bytes)
      try must(
        shown.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 },
        "a name that a terminal obeys")
    },

    // A point in time, as anybody may write it into a commit.
    FuzzTarget("time", limit: 64) {
      [0, Int64.max, Int64.min, -1].map { time in
        (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) }
      } + [Array("2026-11-21T14:03:00.123456789Z".utf8)]
    } check: { bytes in
      var parts = Parts(bytes)
      let time = Control.Time(nanoseconds: Int64(bitPattern: parts.number(8)))
      let text = time.description
      try must(Control.Time(text).map { $0 == time } ?? true, "a time changes")
      if let read = Control.Time(String(decoding: bytes, as: UTF8.self)) {
        try must(Control.Time(read.description) == read, "a time isn't read back")
      }
    },
  ]
}
