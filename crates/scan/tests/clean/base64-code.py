import base64


def save(response, path):
    data = base64.b64decode(response["image"])
    with open(path, "wb") as out:
        out.write(data)


GREETING = "aGVsbG8gd29ybGQsIHRoaXMgaXMgYSBncmVldGluZyBvZiBzb21lIGxlbmd0aA=="
