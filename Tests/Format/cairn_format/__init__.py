"""A second reader and writer of Cairn's container format, made from cairn-container(5) alone.

Nothing here was taken from Cairn's sources. A rule that both implementations agree on is on the
page. The names of sections and of rules, such as L5, are those of the page.
"""
