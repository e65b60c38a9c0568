/// The strongly connected components of a graph, each after those that it needs (Tarjan's algorithm
/// without recursion). A component with more than one node is a knot: its nodes need each other.
struct Components {
  private let needs: (Int) -> [Int]
  private var number: [Int: Int] = [:]
  private var low: [Int: Int] = [:]
  private var open: [Int] = []
  private var isOpen: Set<Int> = []
  private var result: [[Int]] = []

  /// Returns the components of `roots` and everything that they need, directly or indirectly.
  static func of(_ roots: some Sequence<Int>, needs: @escaping (Int) -> [Int]) -> [[Int]] {
    var components = Components(needs: needs)
    for root in roots where components.number[root] == nil { components.visit(root) }
    return components.result
  }

  private init(needs: @escaping (Int) -> [Int]) { self.needs = needs }

  private mutating func visit(_ root: Int) {
    var path: [(node: Int, needs: ArraySlice<Int>)] = [enter(root)]
    while let top = path.last {
      if let next = top.needs.first {
        path[path.count - 1].needs.removeFirst()
        if let seen = number[next] {
          if isOpen.contains(next) { lower(top.node, to: seen) }
        } else {
          path.append(enter(next))
        }
      } else {
        path.removeLast()
        close(top.node)
        if let below = path.last, let value = low[top.node] { lower(below.node, to: value) }
      }
    }
  }

  private mutating func enter(_ node: Int) -> (node: Int, needs: ArraySlice<Int>) {
    number[node] = number.count
    low[node] = number[node]
    open.append(node)
    isOpen.insert(node)
    return (node, needs(node)[...])
  }

  private mutating func lower(_ node: Int, to value: Int) {
    low[node] = min(low[node] ?? value, value)
  }

  private mutating func close(_ node: Int) {
    guard low[node] == number[node] else { return }
    var component: [Int] = []
    while let last = open.popLast() {
      isOpen.remove(last)
      component.append(last)
      if last == node { break }
    }
    result.append(component)
  }
}
