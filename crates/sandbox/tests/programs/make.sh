# A program in C, by make.
set -e
cd /tmp
echo 'int main(void) { return 0; }' > m.c
printf 'm: m.c\n\tgcc -O2 -o m m.c && ./m\n' > Makefile
make > /dev/null
echo done
