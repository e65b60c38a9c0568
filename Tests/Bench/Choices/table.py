"""Tables in Markdown, as in CHOICES.md."""


def table(title, heads, rows, note=None):
    cells = [heads] + [[text(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]
    lines = [f"**{title}**", ""]
    for index, row in enumerate(cells):
        padded = [row[0].ljust(widths[0])] + [c.rjust(w) for c, w in zip(row[1:], widths[1:])]
        lines.append("| " + " | ".join(padded) + " |")
        if index == 0:
            rule = ["-" * w if i == 0 else "-" * (w - 1) + ":" for i, w in enumerate(widths)]
            lines.append("| " + " | ".join(rule) + " |")
    if note:
        lines += ["", note]
    return "\n".join(lines) + "\n"


def text(cell):
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int):
        return f"{cell:,}"
    if cell is None:
        return "–"
    digits = 0 if abs(cell) >= 100 else 1 if abs(cell) >= 1 else 2
    return f"{cell:,.{digits}f}"
