# What Perl's own modules do.
use strict; use IO::Socket::INET; use File::Temp "tempfile"; use File::Copy; use Time::HiRes "usleep"; use Fcntl ":flock";
chdir "/tmp"; die unless `echo hi` eq "hi\n";
my $child = fork; exit 0 unless $child; wait;
my ($file, $name) = tempfile(); print $file "x"; flock($file, LOCK_EX) or die; close $file; copy($name, "copy") or die; unlink $name, "copy";
my $server = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1") or die;
IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $server->sockport) or die;
usleep 100; mkdir "d" or die; rmdir "d" or die; alarm 5; alarm 0; select undef, undef, undef, 0.01;
print "done\n";
