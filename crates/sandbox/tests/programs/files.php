<?php // What PHP's own functions do.
chdir("/tmp");
if (shell_exec("echo hi") !== "hi\n") exit(1);
file_put_contents("f", "x"); $file = fopen("f", "r+"); flock($file, LOCK_EX); ftruncate($file, 0);
copy("f", "g"); rename("g", "h"); unlink("h"); mkdir("d"); rmdir("d"); touch("f"); chmod("f", 0600); symlink("f", "s"); unlink("s");
$server = stream_socket_server("tcp://127.0.0.1:0"); stream_socket_client("tcp://" . stream_socket_get_name($server, false));
$child = proc_open("cat", [["pipe", "r"], ["pipe", "w"]], $pipes); fwrite($pipes[0], "x"); fclose($pipes[0]);
if (stream_get_contents($pipes[1]) !== "x" || proc_close($child) !== 0) exit(1);
usleep(100); random_int(1, 2); disk_free_space(".");
echo "done\n";
