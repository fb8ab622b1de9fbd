//! A child that sees the machine as its user does, but for what is hidden from it.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use prowess_sandbox::{Confinement, Isolation, Mount, Network, View};
use prowess_testing::TestDirectory;
use support::{confinement, python, shell, ways};

/// A home with a project, a secret place, a secret file and a cache.
struct Home {
    place: TestDirectory,
}

impl Home {
    fn new() -> Self {
        // Not below /tmp, which is private inside.
        let place = TestDirectory::new_in("/var/tmp");
        for (path, text) in [
            ("secret/key", "the secret"),
            ("token", "the token"),
            ("cache/there", "cached"),
            ("cache/credentials", "the password"),
            ("plain", "to be read"),
            ("project/file", "as it was"),
        ] {
            place.write(path, text);
        }
        Self { place }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.place.root().canonicalize().unwrap().join(path)
    }

    fn confinement(&self) -> Confinement {
        Confinement {
            projects: vec![Mount::same(self.path("project"))],
            layered: vec![self.path("cache")],
            view: View::Machine {
                hidden: vec![
                    self.path("secret"),
                    self.path("token"),
                    self.path("cache/credentials"),
                ],
            },
            network: Network::Loopback,
            working_directory: self.path("project"),
            environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
            ..confinement()
        }
    }
}

fn each_way(check: impl Fn(Isolation, &Home)) {
    for isolation in ways() {
        check(isolation, &Home::new());
    }
}

#[test]
fn q17_the_machine_is_readable_except_hidden_paths() {
    each_way(|isolation, home| {
        let text = format!(
            "cat {0}/plain; cat {0}/secret/key; ls {0}/secret; cat {0}/token; cat {0}/cache/credentials; \
             cat /proc/self/root{0}/secret/key; umount {0}/secret; echo x > {0}/plain; echo x > {0}/new; exit 0",
            home.path("").display().to_string().trim_end_matches('/')
        );
        let done = shell(isolation, &home.confinement(), &text);
        assert_eq!(done.text(), "to be read", "{}", done.errors);
        assert_eq!(
            fs::read_to_string(home.path("plain")).unwrap(),
            "to be read"
        );
        assert!(!home.path("new").exists());
    });
}

#[test]
fn q17_an_overlay_is_discarded() {
    each_way(|isolation, home| {
        let cache = home.path("cache");
        let text = format!(
            "cat {0}/there; echo x > {0}/new; rm {0}/there",
            cache.display()
        );
        let done = shell(isolation, &home.confinement(), &text);
        assert_eq!(done.text(), "cached", "{}", done.errors);
        if isolation == Isolation::Namespaces {
            assert!(done.status.success(), "{}", done.errors);
        }
        assert!(cache.join("there").exists() && !cache.join("new").exists());
    });
}

#[test]
fn q17_the_loopback_is_its_own() {
    each_way(|isolation, home| {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let text = format!(
            "import socket\n\
             own = socket.create_server(('127.0.0.1', 0))\n\
             socket.create_connection(own.getsockname()).send(b'x')\n\
             print(own.accept()[0].recv(1))\n\
             try:\n    socket.create_connection(('127.0.0.1', {}))\nexcept OSError as error:\n    print(error.errno)\n",
            listener.local_addr().unwrap().port()
        );
        let done = python(isolation, &home.confinement(), &text);
        assert_eq!(done.text(), "b'x'\n111\n", "{}", done.errors);
    });
}

/// What programs do all day, where each name is decided about by the process above them.
#[test]
fn q20_a_project_is_writable() {
    each_way(|isolation, home| {
        let text = r"
import os, subprocess, tempfile
os.umask(0o027)
open('made', 'w').write('one')
assert os.stat('made').st_mode & 0o777 == 0o640, oct(os.stat('made').st_mode)
open('made', 'a').write(' two')
assert open('made').read() == 'one two'
open('made', 'w').close()
assert os.path.getsize('made') == 0
os.makedirs('a/b/c')
os.rename('a/b', 'a/d')
os.symlink('made', 'link')
open('link', 'w').write('through a link')
assert open('made').read() == 'through a link'
os.symlink('absent', 'dangling')
open('dangling', 'w').write('made by a link')
assert open('absent').read() == 'made by a link'
os.link('made', 'hard')
os.truncate('hard', 3)
assert open('made').read() == 'thr'
try:
    os.open('made', os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    raise SystemExit('exclusive')
except FileExistsError:
    pass
directory = os.open('a', os.O_RDONLY)
os.close(os.open('inner', os.O_CREAT | os.O_WRONLY, dir_fd=directory))
os.unlink('inner', dir_fd=directory)
file = os.open('.', os.O_TMPFILE | os.O_RDWR, 0o600)
os.write(file, b'named late')
os.link(f'/proc/self/fd/{file}', 'late', src_dir_fd=directory)
assert open('late').read() == 'named late'
with open('/dev/null', 'w') as nothing:
    nothing.write('x')
with open('/dev/stdout', 'w') as out:
    out.write('to the output\n')
inherited = os.open('late', os.O_RDWR | os.O_CREAT)
assert not os.get_inheritable(inherited)
os.mkfifo('pipe')
for first in ('reader', 'writer'):
    # Whoever comes first waits for the other.
    if (os.fork() == 0) == (first == 'reader'):
        with open('pipe', 'w') as end:
            end.write('through a pipe')
        if first == 'reader':
            os._exit(0)
    else:
        assert open('pipe').read() == 'through a pipe'
        if first == 'writer':
            os._exit(0)
    os.wait()
with tempfile.TemporaryDirectory() as place:
    subprocess.run(['git', 'init', '-q', place], check=True)
    assert os.path.exists(place + '/.git/config')
subprocess.run('echo shell > by-shell; mv by-shell moved; cp moved copy; rm -r a moved', shell=True, check=True)
assert open('copy').read() == 'shell\n'
try:
    open('no/such/directory', 'w')
except FileNotFoundError:
    print('done')
";
        let done = python(isolation, &home.confinement(), text);
        assert_eq!(done.text(), "to the output\ndone\n", "{}", done.errors);
    });
}

#[test]
fn q22_a_copied_directory_is_bounded_and_comes_back() {
    each_way(|isolation, home| {
        let ours = home.path("scratch");
        fs::create_dir(&ours).unwrap();
        fs::write(ours.join("before"), "from before").unwrap();
        fs::write(ours.join("old"), "to be removed").unwrap();
        let mut made = confinement();
        made.copied = Some(Mount::new(&ours, "/scratch"));
        made.scratch = 4 << 20;
        let text = "cat /scratch/before; rm /scratch/old; mkdir /scratch/d; echo new > /scratch/d/file; \
                    ln -s /etc/passwd /scratch/link; mkfifo /scratch/pipe; \
                    head -c 9000000 /dev/zero > /scratch/large; rm /scratch/large; \
                    i=0; while [ $i -lt 3000 ] && mkdir /scratch/m$i 2>/dev/null; do i=$((i+1)); done; \
                    echo $i; rmdir /scratch/m*";
        let done = shell(isolation, &made, text);
        let said = done.text();
        let count: u32 = said
            .strip_prefix("from before")
            .unwrap()
            .trim()
            .parse()
            .unwrap();
        // Bubblewrap has no bound for the number of files.
        assert!(
            count < 1100 || isolation == Isolation::Bubblewrap,
            "{count}"
        );
        assert!(done.errors.contains("No space left"), "{}", done.errors);
        let mut names: Vec<_> = fs::read_dir(&ours)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["before", "d", "link"]);
        assert_eq!(fs::read_to_string(ours.join("d/file")).unwrap(), "new\n");
        assert_eq!(
            fs::read_link(ours.join("link")).unwrap(),
            Path::new("/etc/passwd")
        );
    });
}

/// Through bubblewrap as well, which is no way for the superuser.
#[test]
fn the_same_as_nobody() {
    for test in [
        "q17_the_machine_is_readable_except_hidden_paths",
        "q17_an_overlay_is_discarded",
        "q17_the_loopback_is_its_own",
        "q20_a_project_is_writable",
        "q22_a_copied_directory_is_bounded_and_comes_back",
    ] {
        support::again_as_nobody(test);
    }
}
