"""Lists the fields of a PDF form, or sets some of them in a copy."""

import argparse

from pypdf import PdfReader, PdfWriter


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--output", help="where the copy goes")
    arguments = parser.parse_args()
    reader = PdfReader(arguments.file)
    if not arguments.set:
        for name, field in (reader.get_fields() or {}).items():
            print(f"{name}\t{field.get('/FT')}\t{field.get('/V', '')}")
        return
    values = dict(pair.split("=", 1) for pair in arguments.set)
    writer = PdfWriter(clone_from=reader)
    for page in writer.pages:
        writer.update_page_form_field_values(page, values)
    writer.write(arguments.output or "filled.pdf")


if __name__ == "__main__":
    main()
