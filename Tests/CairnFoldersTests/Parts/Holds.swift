/// Returns the answer of a mutating function, which cannot be called inside of `#expect`.
func holds(_ answer: Bool) -> Bool { answer }
