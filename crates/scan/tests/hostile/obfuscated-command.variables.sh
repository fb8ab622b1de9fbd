a=cu;b=rl
$a$b -s example.net
