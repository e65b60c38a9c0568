import Testing

/// Random sequences of commands that move records between zones, by three people. `make moves`
/// plays many of them.
@Suite(.serialized) struct MovingTests {
  @Test func `after moves between zones people find all that they may, and nothing else`() throws {
    let (status, text) = try simulate(["--moves", "30", "--seed", "1", "--seeds", "3"])
    #expect(status == 0, "\(text)")
  }

  /// A file that moves between two parts of one share has one history.
  @Test func `a story that once lost a history has it`() throws {
    let (status, text) = try simulate(["--moves", "32", "--seed", "1079", "--seeds", "1"])
    #expect(status == 0, "\(text)")
  }

  /// A participant restores what was taken out of a share, and then it is added again.
  @Test func `a story that once could not add a folder adds it`() throws {
    let (status, text) = try simulate(["--moves", "14", "--seed", "7008", "--seeds", "1"])
    #expect(status == 0, "\(text)")
  }

  /// `mv` between zones, edits, and deletions are completed after an end at any call.
  @Test func `daemons that end in the middle of a move lose nothing`() throws {
    let (status, text) = try simulate(["--moves", "30", "--seed", "2", "--seeds", "2", "--ends"])
    #expect(status == 0, "\(text)")
  }

  @Test func `full disks, outages, clocks and moved folders change nothing of that`() throws {
    let (status, text) = try simulate(["--moves", "30", "--seed", "3", "--seeds", "2", "--trouble"])
    #expect(status == 0, "\(text)")
  }

  /// A deliberate mistake, a story in which it matters, and the rule that finds it.
  @Test(arguments: [
    ("losesFormers", "1", "zones"), ("keepsMembers", "2", "files"),
    ("givesAllKeys", "8", "secrecy"), ("forgetsDeleted", "1", "nothing is lost"),
  ])
  func `a mistake in the moves is noticed`(
    _ sabotage: String, _ seed: String, _ rule: String
  ) throws {
    let (status, text) = try simulate(
      ["--moves", "60", "--seed", seed, "--seeds", "1", "--sabotage", sabotage])
    #expect(status == 1 && text.contains("seed \(seed): \(rule): "), "\(text)")
  }
}
