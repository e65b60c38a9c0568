import Foundation
import Testing

/// Valid and invalid commits of all kinds by all kinds of people. Cairn and the independent reader
/// in `Tests/Format` must reach the same verdict on each, and the same states.
@Suite struct RandomCommitTests {
  private static let environment = ProcessInfo.processInfo.environment
  private let count = environment["FORMAT_COMMITS"] ?? "500"
  private let seed = environment["FORMAT_SEED"] ?? "1"

  @Test func `the reader in Python reads its own writer, and the examples of the page`() throws {
    try PythonReader().run("test")
  }

  @Test func `random commits are judged alike by two implementations`() throws {
    let path = NSTemporaryDirectory() + "cairn-histories-\(UUID().uuidString).jsonl"
    defer { unlink(path) }
    try PythonReader().run("histories", path, "--seed", seed, "--commits", count)
    var judged = 0
    var applied = 0
    var kinds: Set<String> = []
    for (number, file) in try HistoryFile.read(path).enumerated() {
      var judge = try #require(HistoryJudge(file))
      var isSame = true
      for (index, entry) in file.entries.enumerated() {
        let refused = try judge.judge(entry)
        judged += 1
        applied += refused == nil ? 1 : 0
        if refused == nil {
          let parts = entry.kind.prefix { $0 != " " }.split(separator: "+")
          kinds.formUnion(parts.map { (file.isPublic ? "public " : "") + $0 })
        }
        isSame = (refused == nil) == entry.applied
        #expect(
          isSame,
          """
          history \(number), entry \(index) (\(entry.kind)): Cairn says \
          “\(refused ?? "valid")”, the other reader “\(entry.applied ? "valid" : entry.why)”
          """)
        if isSame, refused == nil {
          isSame = judge.digest == entry.digest
          #expect(isSame, "history \(number), entry \(index) (\(entry.kind)): another state")
        }
        // Behind different verdicts and states nothing can be compared.
        guard isSame else { break }
      }
      guard isSame else { continue }
      let differences = StateReport(judge.state).differences(from: file.state)
      #expect(differences.isEmpty, "history \(number): \(differences.joined(separator: "; "))")
    }
    print("\(judged) commits were judged alike, \(applied) of them valid (seed \(seed)).")
    #expect(judged >= Int(count) ?? 0)
    // The ends of shares, zones and logs, and the commits of public zones.
    let wanted: Set = [
      "stop", "purge", "goes_on", "public records", "public goes_on", "public revoke_device",
    ]
    if judged >= 500 { #expect(kinds.isSuperset(of: wanted), "\(wanted.subtracting(kinds))") }
  }
}
