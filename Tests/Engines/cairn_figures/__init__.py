"""Figures of Cairn on engines and lines of the tests' own: see `Tests/Engines/figures`."""
