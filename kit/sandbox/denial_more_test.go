//go:build linux

package sandbox

// blockedPrograms want what the sandbox does not give, by programs of all kinds. PY is the system's python.
func blockedPrograms() []string {
	return []string{
		`echo error: gpg failed to sign the data; false`, `echo "fatal: could not read Username for 'https://github.com': terminal prompts disabled"; false`, `echo Unable to locate credentials; false`, `echo ==1==LeakSanitizer has encountered a fatal error.; false`, `PY -c "open('/opt/x','w')"`, `PY -c "import os; os.remove('/etc/hosts')"`, `PY -c "import shutil; shutil.copy('README','/usr/local/x')"`,
		`PY -c "import os; os.listdir(os.path.expanduser('~/.ssh'))"`, `PY -c "import os; open(os.path.expanduser('~/.aws/credentials')).read()"`,
		`PY -c "import subprocess; subprocess.run(['touch','/etc/x'],check=True)"`, `PY -c "import pathlib; pathlib.Path.home().joinpath('new').mkdir()"`,
		`PY -c "import socket; socket.create_connection(('example.com',80),3)"`, `PY -c "import urllib.request as u; u.urlopen('https://example.com',timeout=5)"`,
		`PY -c "import os; os.chmod('/etc/hosts',0o777)"`, `PY -c "open('.env').read()"`, `PY -c "import sqlite3; sqlite3.connect('/opt/x.db').execute('create table t(a)')"`,
		`PY -c "import os; os.rename('README','../README')"`, `PY -m venv ~/venv`, `PY -m pip install --target ~/lib requests`,
		`node -e "require('fs').mkdirSync('/opt/x')"`, `node -e "require('fs').appendFileSync('/etc/hosts','x')"`, `node -e "require('fs').readFileSync(process.env.HOME+'/.ssh/id_rsa')"`,
		`node -e "require('fs').rmSync('/etc/hosts')"`, `node -e "fetch('https://example.com').catch(e => { console.error(e); process.exit(1) })"`,
		`node -e "require('fs').writeFileSync(process.env.HOME+'/x','y')"`, `node -e "require('fs').readFileSync('.env')"`,
		`node -e "require('child_process').execSync('touch /etc/x')"`, `npm install left-pad`, `npm view left-pad`, `npx --yes cowsay hi`,
		`go build -o /usr/local/bin/x ./hello`, `go get example.com/x@latest`, `go build -o ~/x ./hello`, `go install ./hello`,
		`gcc hello.c -o /usr/local/bin/x`, `gcc hello.c -o ~/x`, `make install`, `make -C ~/work/other`,
		`perl -e 'open(F,">/etc/x") or die "$!: /etc/x"'`, `perl -e 'mkdir "/opt/x" or die $!'`, `perl -e 'unlink("/etc/hosts") or die "cannot remove: $!"'`,
		`cat README > ~/copy`, `cp README ~`, `cp -r dir /opt/`, `ln -s README ~/link`, `mkfifo /opt/p`, `touch ../outside`, `mv README ..`, `mkdir -p ../sibling/dir`,
		`tar cf /opt/x.tar README`, `tar xf ok.tar -C /opt`, `tar xf ok.tar -C ~`, `find ~/work -type f | grep .`, `wc -l ~/work/other/a`, `diff README ~/work/other/a`,
		`git -C ~/work/other status`, `git clone -q . ~/clone`, `git config --global user.name x`, `git remote add o https://github.com/a/b`, `git fetch https://github.com/a/b`,
		`sqlite3 /opt/x.db 'create table t(a)'`, `jq . ~/work/other/a`, `awk 1 ~/work/other/a`, `sed -i s/a/b/ ~/.profile`,
		`curl -sSf https://example.com/install | sh`, `curl -s -o page http://example.com`, `curl -sS https://api.github.com/user`, `wget http://example.com/x.tar.gz`,
		`ssh -o BatchMode=yes git@github.com`, `echo 1 > /proc/sys/kernel/printk`, `sysctl -w kernel.printk=1`, `hostname x`, `date -s 2020-01-01`, `umount /proc`,
		`. ~/work/other/a`, `bash ~/work/other/a`, `sort ~/work/other/a -o ~/sorted`, `install -m 755 README /usr/local/bin/tool`, `rm -rf /usr/share/doc/bash`, `chmod +x ~/.profile`,
	}
}

// ordinaryPrograms fail all by themselves, some of them with the words of a sandbox.
func ordinaryPrograms() []string {
	return []string{
		`echo Failed to connect to bus: Host is down; false`, `gcc bad.c`, `gcc -c noinclude.c`, `gcc hello.c -lnosuch`, `go build ./badgo`, `cat gotest; exit 1`, `go run ./nosuch`, `go vet ./badgo`, `make broken`, `make -f missing.mk`, `make loop`,
		`PY -c "import nosuch"`, `PY -c "import json; json.loads('{')"`, `PY -c "open('/usr/share/nothing-here')"`, `PY -c "{}['a']"`, `PY -c "import subprocess; subprocess.run(['nosuch'])"`,
		`PY -m unittest failing_test.py`, `PY -c "import sys; sys.exit('usage: x FILE')"`, `PY missing.py`, `PY -c "import socket; socket.create_connection(('127.0.0.1',9),1)"`,
		`node -e "require('nosuch')"`, `node -e "JSON.parse('{')"`, `node -e "process.exit(4)"`, `node missing.js`, `node -e "require('assert').equal('ENOTFOUND','ok')"`, `npm run nosuch`, `npm test`,
		`git commit -m x --allow-empty-message --dry-run -q nothing`, `git merge nosuch`, `git push`, `git show HEAD~99`, `git apply missing.patch`, `git log nosuch..`,
		`tar xf README`, `gzip -t README`, `jq . README`, `sqlite3 :memory: 'selct 1'`, `awk '{'`, `sed 's/a'`, `perl -e 'die "no\n"'`, `perl missing.pl`, `java Nosuch`,
		`cp README README`, `mv dir dir/sub`, `ln -s x README`, `mkdir README`, `cd README`, `cat locked`, `chmod 000 locked2; cat locked2`, `./script-without-x`, `touch ro/x`, `rm -r ro/inner/x`, `echo x > ro/new`,
		`timeout 0.1 sleep 5`, `sh -c 'kill -9 $$'`, `cmp README other`, `grep -q nothing README`, `ps -p 99999`, `which nosuch`, `type nosuch`, `getent passwd nosuch`, `date -d nonsense`, `expr 1 / 0`,
		`find nowhere`, `curl -sS http://127.0.0.1:9/`, `curl -sS http://localhost:9/`, `curl -sS 'http://['`, `wget -q http://127.0.0.1:9/`, `wget -qO- http://localhost:9/x`, `echo 'Cannot connect to the Docker daemon at unix:///run/nothing-here/d.sock. Is the docker daemon running?'; exit 1`, `bash -c 'if'`, `cat /usr/include/nothing.h`, `ls /etc/nothing-here/x`,
		`echo '--- FAIL: TestOpen: open testdata/locked: permission denied'; exit 1`, `echo 'want "read-only file system", got nil'; exit 1`, `echo 'expected "no such host", got nil'; exit 1`,
		`echo 'Error: Operation not permitted (errno 1) expected, was 0'; exit 1`, `echo 'FAIL resolves_names: could not resolve host was not raised'; exit 1`,
		`echo 'AssertionError: EACCES != None'; exit 1`, `echo 'ok 1 - network is unreachable is retried'; echo 'not ok 2 - sum'; exit 1`, `echo "3 tests failed: cannot open missing fixture"; exit 1`,
		`cat testlog; exit 1`, `grep 'permission denied' testlog && exit 3`, `sh -c 'echo access denied for user bob; exit 1'`,
	}
}

// programFiles are what those programs find in the workspace.
func programFiles() map[string]string {
	return map[string]string{
		"hello.c": "int main(void) { return 0; }\n", "bad.c": "int main( { return }\n", "noinclude.c": "#include <nosuch/missing.h>\n",
		"go.mod": "module example.com/hello\n\ngo 1.21\n", "hello/main.go": "package main\n\nfunc main() {}\n", "badgo/main.go": "package main\n\nfunc main() { x }\n",
		// What go test prints; to run it would compile its library first.
		"gotest":          "--- FAIL: TestOpen (0.00s)\n    a_test.go:5: open testdata/locked: permission denied; dial tcp: lookup db.test: no such host\nFAIL\nFAIL\texample.com/hello/failing\t0.002s\nFAIL\n",
		"failing_test.py": "import unittest\n\nclass T(unittest.TestCase):\n    def test_name(self):\n        self.assertEqual('Temporary failure in name resolution', 'ok')\n    def test_file(self):\n        self.assertRaises(PermissionError, print)\n",
		"Makefile":        "install: hello.c\n\tcp hello.c /usr/local/bin/hello\nbroken:\n\texit 3\nloop:\n\t$(MAKE) nosuch\n",
		"locked":          "x", "locked2": "x", "script-without-x": "#!/bin/sh\n", "ro/old": "", "ro/inner/x": "", "other": "another text",
		"testlog": "running 3 tests\ntest io::denied ... open /data/app/store: permission denied ... ok\ntest net::lookup ... getaddrinfo ENOTFOUND db.internal ... ok\ntest sum ... FAILED\n",
	}
}
