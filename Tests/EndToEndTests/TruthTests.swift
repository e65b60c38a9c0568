import CairnControl
import Testing

extension EndToEnd {
  /// No command reports that all is well beside something that is stopped, and there is a remedy.
  @Suite struct TruthTests {
    /// The problems as Bob sees them, and their solutions. Bob's daemon is off while a problem is
    /// made.
    enum Trouble: String, CaseIterable {
      case lostEnd = "lost end"
      case twoHistories = "two histories"
      case missing = "damaged"
      case heldByRubbish = "held"
      case heldByNewer = "held by a newer entry"
      case accountLostEnd = "lost end of the account"
      case identityLostEnd = "lost end of an identity"
      case identityGone = "an identity that is gone"
      case identityHeld = "held identity"
      case identityAltered = "two histories of an identity"
      case identityDisputed = "disputed identity"

      /// The word of the commands for it.
      var word: String {
        switch self {
        case .lostEnd, .accountLostEnd, .identityLostEnd, .identityGone: "lost end"
        case .twoHistories, .identityAltered: "two histories"
        case .missing: "damaged"
        case .heldByRubbish, .heldByNewer, .identityHeld: "held"
        case .identityDisputed: "disputed"
        }
      }

      /// A Boolean value that indicates whether Bob's `cairn repair --yes` solves it; otherwise a
      /// person must act.
      var isBobsToRepair: Bool {
        switch self {
        case .lostEnd, .twoHistories, .heldByRubbish, .accountLostEnd, .identityLostEnd,
          .identityGone:
          true
        default: false
        }
      }
    }

    @Test(arguments: Trouble.allCases)
    func `nothing is reported in order beside a stopped part, and a remedy exists`(
      _ trouble: Trouble
    ) throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("one", to: "one")
        try people.settle()
        let undo = try make(trouble, people)
        try bob.startDaemon()
        try bob.cairn("user", "list")
        let waited = try bob.run("wait", "--timeout", "1")
        #expect(waited.status == 0 || waited.status == Control.ErrorCode.timedOut.exitStatus)
        try told(trouble, by: bob)
        if trouble.isBobsToRepair {
          let done = try bob.run("repair", "--yes")
          #expect(done.status == 0, "\(done.text)\(done.errors)")
        }
        try undo()
        try ana.folder.write("after", to: "after")
        try bob.cairn("user", "list")
        try people.settle()
        #expect(try bob.folder.text("after") == "after")
        try wellSaid(by: bob)
      }
    }

    private func told(_ trouble: Trouble, by person: Person) throws {
      let status = try person.run("status")
      let shown = status.text.lowercased()
      #expect(shown.contains(trouble.word), "\(trouble): \(status.text)")
      #expect(shown.contains("problem  "), "\(trouble): \(status.text)")
      let verified = try person.run("verify")
      #expect(verified.status != 0, "\(trouble): \(verified.text)")
      #expect(!verified.text.contains("all in order"), "\(trouble): \(verified.text)")
      #expect(!verified.text.contains("has no effect"), "\(trouble): \(verified.text)")
      let plan = try person.run("repair")
      #expect(plan.status != 0, "\(trouble): \(plan.text)")
      #expect(plan.text.lowercased().contains(trouble.word), "\(trouble): \(plan.text)")
      #expect(!plan.text.contains("Nothing is to be repaired"), "\(trouble): \(plan.text)")
      #expect(
        plan.text.contains("would be done") == trouble.isBobsToRepair, "\(trouble): \(plan.text)")
      let doctor = try person.answerOfFailure(Control.DoctorReply.self, "doctor")
      let history = doctor.checks.first { $0.name == "history" }
      #expect(history?.code != nil, "\(trouble)")
      #expect(history?.message.lowercased().contains(trouble.word) == true, "\(trouble)")
      #expect(history?.remedy.isEmpty == false, "\(trouble)")
    }

    private func wellSaid(by person: Person) throws {
      let status = try person.answer(Control.StatusReply.self, "status")
      #expect(status.container.state == nil && status.problems.isEmpty, "\(status.problems)")
      #expect(status.mounts.allSatisfy { $0.state == nil && $0.problems.isEmpty })
      #expect(try person.cairn("verify").text.contains("all in order"))
      #expect(try person.cairn("repair").text.contains("Nothing is to be repaired"))
      let doctor = try person.answer(Control.DoctorReply.self, "doctor")
      #expect(doctor.checks.first { $0.name == "history" }?.code == nil)
    }

    // MARK: The problems

    /// Makes the problem. Bob's daemon is off afterwards. Returns a function that ends what Bob
    /// can't end.
    private func make(
      _ trouble: Trouble, _ people: TwoPeople
    ) throws -> () throws -> Void {
      let (ana, bob, root) = (people.ana, people.bob, people.root)
      switch trouble {
      case .lostEnd, .twoHistories, .missing, .heldByRubbish, .heldByNewer:
        return try makeInLog(trouble, people)
      case .accountLostEnd:
        // The account is the only zone of his own so far.
        let zones: Name = "c/users/\(try me(bob))/zones"
        let account = zones / (try #require(try root.names(zones).first)) / "log"
        let new = try added(below: account, in: root) {
          try root.make("own")
          try bob.cairn("add", root.path + "/own")
          try bob.wait()
        }
        try #require(!new.isEmpty)
        try bob.stopDaemon()
        for entry in new { try root.remove(entry) }
        return {}
      case .identityLostEnd, .identityHeld, .identityDisputed:
        let log: Name = "c/users/\(try me(ana))/log"
        if trouble != .identityLostEnd { try bob.stopDaemon() }
        let new = try #require(
          try added(below: log, in: root) {
            try ana.cairn("device", "rename", try myDevice(ana), "old desk")
          }.first)
        if trouble == .identityLostEnd {
          try bob.cairn("user", "list")
          try bob.stopDaemon()
          try root.remove(new)
          return {}
        }
        // Her entry in the zone contains the position of her chain, which Bob hasn't seen.
        try ana.folder.write("two", to: "two")
        try ana.wait()
        try root.move(new, to: "hidden")
        if trouble == .identityHeld { try root.write("rubbish", to: new) }
        return {
          if trouble == .identityHeld { try root.remove(new) }
          try root.move("hidden", to: new)
        }
      case .identityGone:
        try bob.stopDaemon()
        try root.remove("c/users/\(try me(ana))/log")
        return {}
      case .identityAltered:
        let log: Name = "c/users/\(try me(ana))/log"
        try bob.stopDaemon()
        let first = log / (try #require(try root.names(log).first))
        let bytes = try root.read(first)
        try root.remove(first)
        try root.write("rubbish", to: first)
        return {
          try root.remove(first)
          try root.write(bytes, to: first)
        }
      }
    }

    private func makeInLog(
      _ trouble: Trouble, _ people: TwoPeople
    ) throws -> () throws -> Void {
      let (ana, bob, root) = (people.ana, people.bob, people.root)
      func last() throws -> Name {
        "c" / Name(Array((try people.entries().last ?? "").utf8))
      }
      switch trouble {
      case .lostEnd:
        try bob.stopDaemon()
        try root.remove(try last())
        return {}
      case .twoHistories:
        try ana.stopDaemon()
        try root.copy("c", to: "backup")
        try bob.folder.write("of bob", to: "bobs")
        try bob.wait()
        try bob.stopDaemon()
        try people.restore()
        try ana.startDaemon()
        try ana.folder.write("of ana", to: "anas")
        try ana.wait()
        return {}
      case .missing:
        try bob.stopDaemon()
        try ana.folder.write("two", to: "two")
        try ana.wait()
        let gone = try last()
        try ana.folder.write("three", to: "three")
        try ana.wait()
        try root.remove(gone)
        return { try ana.cairn("repair", "--yes") }
      default:
        try bob.stopDaemon()
        try ana.folder.write("two", to: "two")
        try ana.wait()
        let place = try last()
        let bytes = try root.read(place)
        try root.remove(place)
        guard trouble == .heldByNewer else {
          try root.write(Samples.noise(300), to: place)
          return { try ana.cairn("repair", "--yes") }
        }
        // Its format is the number behind the first byte.
        try #require(bytes.starts(with: [8, 1]))
        try root.write([8, 2] + bytes.dropFirst(2), to: place)
        return {
          try root.remove(place)
          try ana.cairn("repair", "--yes")
        }
      }
    }

    // MARK: Places

    private func me(_ person: Person) throws -> String {
      try person.answer(Control.StatusReply.self, "status").account.user
    }

    private func myDevice(_ person: Person) throws -> String {
      try person.answer(Control.StatusReply.self, "status").account.deviceName
    }

    /// Returns the files that appear below a folder while the body runs.
    private func added(
      below folder: Name, in root: Folder, _ body: () throws -> Void
    ) throws -> [Name] {
      let before = Set(try root.files(below: folder))
      try body()
      return try root.files(below: folder).filter { !before.contains($0) }
    }
  }
}

extension Person {
  /// Runs `cairn … --json`, whatever its status is, and reads its answer.
  func answerOfFailure<Reply: Decodable>(
    _ type: Reply.Type, _ arguments: String...
  ) throws -> Reply {
    let outcome = try run(arguments + ["--json"])
    return try ControlJSON.decode(type, from: outcome.output)
  }
}
