"""Attacks on Cairn's promises, played by a program that isn't Cairn against programs that are."""
