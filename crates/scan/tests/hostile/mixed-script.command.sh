wgеt https://example.net/x
