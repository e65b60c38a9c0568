import Testing

/// Each promise of cairn-security(7) names a test that exists.
@Suite struct PromisesTests {
  private let repository = Repository()

  /// A promise's test, as the page names it.
  private struct Proof {
    var test: String
    var file: String
  }

  /// The lines of each promise: the items of the lists that are tagged.
  private func promises() throws -> [(title: String, lines: [String])] {
    let lines = try repository.text(of: "man/cairn-security.7").split(separator: "\n")
      .map(String.init)
    var found: [(title: String, lines: [String])] = []
    var isTagged = false
    for line in lines {
      if line.hasPrefix(".Bl ") { isTagged = line.hasPrefix(".Bl -tag") }
      guard isTagged else { continue }
      if line.hasPrefix(".It ") {
        found.append((String(line.dropFirst(4)), []))
      } else if !found.isEmpty {
        found[found.count - 1].lines.append(line)
      }
    }
    return found
  }

  private func proofs(in lines: [String]) -> [Proof] {
    zip(lines, lines.dropFirst()).compactMap { line, next in
      guard let test = line.wholeMatch(of: /Held by \\\(lq(.+)\\\(rq,/)?.1,
        let file = next.wholeMatch(of: /\.Pa ([^ ]+) \./)?.1
      else { return nil }
      return Proof(test: String(test), file: String(file))
    }
  }

  @Test func `every promise of cairn-security(7) names a test, and the test is there`() throws {
    let promises = try promises()
    #expect(promises.count > 30)
    for promise in promises {
      let proofs = proofs(in: promise.lines)
      #expect(!proofs.isEmpty, "“\(promise.title)” has no test")
      #expect(
        proofs.count == promise.lines.filter { $0.hasPrefix("Held by ") }.count,
        "“\(promise.title)” names a test in another form than the others")
      for proof in proofs {
        let source = repository.exists(proof.file) ? try repository.text(of: proof.file) : ""
        let name = proof.file.hasSuffix(".py") ? "\"\(proof.test)\"" : "func `\(proof.test)`"
        #expect(source.contains(name), "\(proof.file) has no “\(proof.test)”")
      }
    }
  }

  @Test func `each attack is named on the page, with its file`() throws {
    let page = try repository.text(of: "man/cairn-security.7")
    var count = 0
    for file in repository.files() where file.hasPrefix("Tests/Attacks/") {
      guard file.hasSuffix(".py") else { continue }
      for attack in try repository.text(of: file).matches(of: /@attack\(\n    "(.+)",\n/) {
        count += 1
        #expect(
          page.contains("\\(lq\(attack.1)\\(rq,\n.Pa \(file) ."),
          "cairn-security(7) doesn't name “\(attack.1)” of \(file)")
      }
    }
    #expect(count > 30)
  }

  /// In these lines, mdoc(7) treats `An`, `In` and `No` as macros, and prints a name, an include
  /// file or nothing instead.
  @Test func `every promise of cairn-security(7) is printed with its first word`() throws {
    let swallowed = try promises().map(\.title).filter { $0.prefixMatch(of: /[A-Z][a-z]\s/) != nil }
    #expect(swallowed.isEmpty, "begin it with \\&: \(swallowed)")
  }
}
