import Testing

/// Properties of all trees, checked on many random ones and on all small ones.
@Suite struct ConvergenceTests {
  @Test(arguments: RandomProperty.all.map(\.sentence))
  func `random trees have this property`(sentence: String) throws {
    let cases = PlannerProgram.isDeep ? 100_000 : 6_000
    let counts = try PlannerProgram.built.get().run([["property", sentence, "\(cases)"]])
    #expect(counts.cases == cases)
  }

  @Test(arguments: TripleProperty.all)
  func `every triple of small trees has this property`(property: TripleProperty) throws {
    let triples = PlannerProgram.isDeep ? "all-triples" : "triples"
    let counts = try PlannerProgram.built.get().run([[triples, property.sentence]])
    #expect(counts.cases >= property.leastCases)
    #expect(counts.conflicts >= property.leastHits)
  }
}
