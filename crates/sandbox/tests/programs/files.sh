# What a shell and the tools of every system do.
set -e
cd /tmp
mkdir -p d/e
echo x > d/f
cp -a d d2
mv d2 d3
ln -s f d/s
ln d/f d/h
ls -laR d > l
find d -type f | xargs cat | sort | uniq | tr x y | sed s/y/z/ | awk '{print}' > o
tar czf t.tgz d
tar xzf t.tgz -C d3
touch -d 2020-01-01 d/f
chmod 600 d/f
stat d/f > /dev/null
df . > /dev/null
du -s d > /dev/null
diff -r d d3/d
head -c 1000 /dev/urandom | base64 | gzip | gunzip | wc -c > /dev/null
dd if=/dev/zero of=z bs=1k count=10 conv=fsync 2> /dev/null
truncate -s 5 z
date > /dev/null
id > /dev/null
uname -a > /dev/null
mkfifo p
(echo a > p &)
cat p > /dev/null
trap 'echo t > /dev/null' USR1
kill -USR1 $$
nice true
timeout 5 true
setsid true
flock l true
tac l > /dev/null
install -m 755 l inst
rm -r d d3
sync
ulimit -n 100
nproc > /dev/null
wait
echo done
