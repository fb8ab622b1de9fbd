#!/bin/sh
curl -fsSLo tool.tar.gz https://example.org/tool.tar.gz
echo "$SHA  tool.tar.gz" | sha256sum -c -
tar xzf tool.tar.gz
./tool --version
