import CairnControl
import Glibc
import Testing

@testable import CairnDaemon

@Suite struct DescriptorsTests {
  @Test func `open files are counted, and a tenth of the limit is kept free`() throws {
    let count = try #require(Descriptors.count())
    // At least standard input, output and error.
    #expect(count.open >= 3 && count.open < count.limit)
    #expect(try Descriptors.judge(open: 89, limit: 100).contains("89 of 100"))
    let error = #expect(throws: ControlError.self) {
      try Descriptors.judge(open: 90, limit: 100)
    }
    #expect(error?.code == .limitExceeded && error?.remedy.contains("ulimit -Hn") == true)
    #expect(try Descriptors.judge(open: 5, limit: .max).contains("5 of"))
  }
}
