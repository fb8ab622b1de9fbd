# A history, a copy of it, and what is asked of one.
set -e
cd /tmp
export HOME=/tmp GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git init -q one
cd one
for name in 1 2 3; do echo $name > f$name; done
git add .
git commit -qm first
git mv f1 g1
git commit -qam second
git log --stat > /dev/null
git gc -q
git status > /dev/null
git fsck 2> /dev/null
cd ..
git clone -q one two
git -C two blame f2 > /dev/null
git -C two archive HEAD | tar t > /dev/null
echo done
