# A program in Go, built and run.
set -e
mkdir /tmp/x
cd /tmp/x
export HOME=/tmp GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local
cat > go.mod <<'M'
module x
M
cat > main.go <<'M'
package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"time"
)

func main() {
	if out, _ := exec.Command("echo", "hi").Output(); string(out) != "hi\n" {
		os.Exit(1)
	}
	listener, _ := net.Listen("tcp", "127.0.0.1:0")
	go http.Serve(listener, http.NotFoundHandler())
	answer, err := http.Get("http://" + listener.Addr().String())
	if err != nil {
		os.Exit(2)
	}
	io.ReadAll(answer.Body)
	os.WriteFile("f", []byte("x"), 0600)
	os.Rename("f", "g")
	os.Remove("g")
	runtime.GC()
	time.Sleep(time.Millisecond)
}
M
go build -o x .
./x
echo done
