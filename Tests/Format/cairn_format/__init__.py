"""A second reader and writer of Cairn's container format, made from cairn-container(5) alone.

Nothing here was taken from Cairn's sources: what both agree on, the page says. The names of
sections and the rules in quotes are those of the page.
"""
