# What Ruby's own library does.
require "socket"; require "fileutils"; require "tempfile"; require "open3"; require "timeout"; require "etc"
Dir.chdir("/tmp")
abort unless `echo hi` == "hi\n" && Open3.capture2e("cat", stdin_data: "x").first == "x"
Thread.new { sleep 0.01 }.join
Process.wait(fork { exit! })
FileUtils.mkdir_p("d/x"); File.write("d/f", "x"); FileUtils.cp_r("d", "d2"); FileUtils.rm_rf(["d", "d2"])
server = TCPServer.new("127.0.0.1", 0)
TCPSocket.new("127.0.0.1", server.addr[1]).close
Tempfile.create { |file| file.write("x"); file.flush; file.fsync; file.flock(File::LOCK_EX) }
Timeout.timeout(5) { sleep 0.01 }
Etc.nprocessors; GC.start
Signal.trap("USR1") {}
Process.kill("USR1", $$)
puts "done"
