/// What changes as it answers can't be asked inside of `#expect`.
func holds(_ answer: Bool) -> Bool { answer }
