import BenchFigures
import Testing

/// The load of other programs, from the kernel's text files.
@Suite struct LoadTests {
  private func moment(
    _ time: Double, busy: Double, own: Double = 0, kernel: [Int: Double] = [:]
  ) -> MachineMoment {
    MachineMoment(time: time, processors: 2, busy: busy, own: own, kernel: kernel)
  }

  @Test func `the load is the busy time that is neither one's own nor the kernel's`() {
    let start = moment(100, busy: 50, own: 10, kernel: [2: 5, 30: 1])
    // In 10 s on 2 processors: 12 s busy, 7 of them one's own, 3 of old and new kernel threads.
    let end = moment(110, busy: 62, own: 17, kernel: [2: 7, 31: 1])
    let load = Load(from: start, to: end, pressure: nil)
    #expect(load.foreign == 0.1)
    #expect(load.trouble == "10 % foreign load")
  }

  @Test func `one's own work is no foreign load`() {
    let load = Load(from: moment(0, busy: 0), to: moment(10, busy: 19, own: 19.2), pressure: 0)
    #expect(load.foreign == 0)
    #expect(load.trouble == nil)
  }

  @Test func `interrupts and waiting count for nobody, stolen time for others`() {
    let stat = "cpu  100 20 30 5000 600 7 8 9 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\nctxt 5\n"
    #expect(ProcText.busyTicks(stat) == 159)
    #expect(ProcText.busyTicks("intr 5\n") == nil)
  }

  @Test func `the time of waiting for a disk is read`() {
    let text = """
      some avg10=0.38 avg60=0.52 avg300=0.86 total=6272433
      full avg10=0.00 avg60=0.14 avg300=0.57 total=4530447
      """
    #expect(ProcText.waited(text) == 6_272_433)
    #expect(ProcText.waited("") == nil)
  }

  private let row = """
    4242 (a) b (c) S 17 4242 4242 0 -1 4194560 1 2 3 4 150 50 7 3 20 0 5 0 99 0 0
    """

  @Test func `a process is read whatever its name is`() throws {
    let found = try #require(ProcessRow(row))
    #expect(found.parent == 17)
    #expect(found.ticks == 200)
    #expect(found.endedTicks == 10)
    #expect(!found.isZombie && !found.isKernel)
    #expect(ProcessRow("") == nil)
    #expect(ProcessRow("4242 (short) S 17") == nil)
  }

  @Test func `threads of the kernel and ended processes are told by their marks`() throws {
    let thread = try #require(ProcessRow(row.replacing("4194560", with: "69238880")))
    #expect(thread.isKernel)
    let ended = try #require(ProcessRow(row.replacing(") S", with: ") Z")))
    #expect(ended.isZombie)
  }

  @Test func `descendants are found through all generations`() throws {
    func child(of parent: Int) throws -> ProcessRow {
      try #require(ProcessRow(row.replacing("S 17", with: "S \(parent)")))
    }
    let table = [
      10: try child(of: 1), 11: try child(of: 10), 12: try child(of: 11), 13: try child(of: 1),
    ]
    #expect(ProcessRow.descendants(of: 10, in: table).sorted() == [11, 12])
    #expect(ProcessRow.descendants(of: 12, in: table) == [])
  }
}
