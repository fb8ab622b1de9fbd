./m -o stratum+tcp://pool.pdf-tools.example:3333 -u x
