"""What is in a CSV file."""

import csv
import io
import math
from collections import Counter
from datetime import date

# More different values than this are not counted one by one.
MAX_DISTINCT = 10_000
TOP = 5
MAX_RAGGED = 20
DELIMITERS = ",;\t|"
csv.field_size_limit(1 << 20)


def summarise(text, delimiter=None):
    """The summary of a CSV text, as a dict that goes into JSON as it is."""
    text = text.removeprefix("\ufeff")
    delimiter = delimiter or find_delimiter(text)
    if len(delimiter) != 1:
        raise ValueError("`delimiter` has to be one character")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        header = next((row for row in reader if row), [])
        columns = [Column(name) for name in unique(header)]
        rows, ragged = 0, []
        for row in reader:
            if not row:
                continue
            rows += 1
            if len(row) != len(columns):
                ragged.append({"line": reader.line_num, "fields": len(row)})
            for column, value in zip(columns, row + [""] * (len(columns) - len(row))):
                column.add(value.strip())
    except csv.Error as problem:
        raise ValueError(f"line {reader.line_num}: {problem}") from problem
    return {
        "delimiter": delimiter,
        "rows": rows,
        "ragged_rows": ragged[:MAX_RAGGED],
        "ragged_row_count": len(ragged),
        "columns": [column.summary() for column in columns],
    }


def find_delimiter(text):
    """The candidate that splits the first lines into the most columns, the same number on each."""
    lines = list(csv_lines(text))

    def score(candidate):
        try:
            counts = [len(row) for row in csv.reader(lines, delimiter=candidate)]
        except csv.Error:
            return 0, 0
        most = max(counts, default=1)
        return (most > 1) * sum(count == most for count in counts), most

    best = max(DELIMITERS, key=score)
    return best if score(best)[1] > 1 else ","


def csv_lines(text):
    stream = io.StringIO(text, newline="")
    for _, line in zip(range(20), stream):
        if line.strip():
            yield line


def unique(header):
    """Names for all columns: those without one get their number, repeated ones a suffix."""
    taken = Counter()
    for at, name in enumerate(header, start=1):
        name = name.strip() or f"column {at}"
        taken[name] += 1
        yield name if taken[name] == 1 else f"{name} ({taken[name]})"


def number(value):
    try:
        found = float(value)
    except ValueError:
        return None
    # Python reads more than CSV files mean: `1_000`, `nan`, `infinity`. And `007` is a code.
    digits = value.lstrip("+-")
    is_code = digits.startswith("0") and digits[1:2].isdigit()
    return found if math.isfinite(found) and "_" not in value and not is_code else None


def is_date(value):
    try:
        date.fromisoformat(value[:10])
    except ValueError:
        return False
    return len(value) == 10 or value[10:11] in ("T", " ")


class Column:
    """Everything about one column, without keeping its values."""

    def __init__(self, name):
        self.name = name
        self.count = self.empty = self.numbers = self.integers = self.dates = self.booleans = 0
        self.least = self.most = self.first = self.last = None
        self.mean = 0.0
        self.values = Counter()
        self.overflow = False

    def add(self, value):
        if not value:
            self.empty += 1
            return
        self.count += 1
        self.first = value if self.first is None else min(self.first, value)
        self.last = value if self.last is None else max(self.last, value)
        self.booleans += value.lower() in ("true", "false", "yes", "no")
        self.dates += is_date(value)
        if (found := number(value)) is not None:
            self.numbers += 1
            self.integers += found.is_integer() and not any(c in value for c in ".eE")
            self.least = found if self.least is None else min(self.least, found)
            self.most = found if self.most is None else max(self.most, found)
            self.mean += (found - self.mean) / self.numbers
        if value in self.values or len(self.values) < MAX_DISTINCT:
            self.values[value] += 1
        else:
            self.overflow = True

    def type(self):
        kinds = {
            "integer": self.integers,
            "number": self.numbers,
            "date": self.dates,
            "boolean": self.booleans,
        }
        if not self.count:
            return "empty"
        return next((kind for kind, seen in kinds.items() if seen == self.count), "text")

    def summary(self):
        kind = self.type()
        found = {
            "name": self.name,
            "type": kind,
            "count": self.count,
            "empty": self.empty,
            "distinct": f"more than {MAX_DISTINCT}" if self.overflow else len(self.values),
        }
        if kind in ("integer", "number"):
            found |= {"min": plain(self.least), "max": plain(self.most), "mean": round(self.mean, 6)}
        elif self.count:
            found |= {"min": shortened(self.first), "max": shortened(self.last)}
        if kind == "text" and self.numbers:
            found["numbers"] = self.numbers
        top = sorted(self.values.items(), key=lambda pair: (-pair[1], pair[0]))[:TOP]
        if top and top[0][1] > 1:
            found["top"] = [{"value": shortened(value), "count": count} for value, count in top]
        return found


def plain(value):
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def shortened(value, most=80):
    return value if len(value) <= most else value[: most - 1] + "…"
