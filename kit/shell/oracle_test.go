package shell

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rein/guard/effect"
)

// The tests of this file compare the words that the guard computes with those that bash itself gives to a program. The
// stand-in program "show" prints its words; nothing else runs.

// showSource is the stand-in program. It adds the number of its words and the words to a file, each behind a NUL byte.
const showSource = "#!/bin/bash\nprintf '%s\\0' \"$#\" \"$@\" >> \"$SHOWN\"\n"

// oracle runs scripts in an empty directory.
type oracle struct{ bin, work, out string }

func newOracle(t testing.TB) oracle {
	needBash(t)
	version, err := exec.CommandContext(t.Context(), "bash", "-c", "echo $BASH_VERSINFO").Output()
	if major, _ := strconv.Atoi(strings.TrimSpace(string(version))); err != nil || major < 5 {
		t.Skip("the installed bash is older than 5, and it is the oracle")
	}
	dir := t.TempDir()
	o := oracle{bin: filepath.Join(dir, "bin"), work: filepath.Join(dir, "work"), out: filepath.Join(dir, "out")}
	for _, d := range []string{o.bin, o.work} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(o.bin, "show"), []byte(showSource), 0o700); err != nil {
		t.Fatal(err)
	}
	if xargs, err := exec.LookPath("xargs"); err == nil {
		if err := os.Symlink(xargs, filepath.Join(o.bin, "xargs")); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// shown returns the words of each run of show. ok is false where bash does not accept the script.
func (o oracle) shown(t testing.TB, script string) (calls [][]string, ok bool) {
	if err := os.WriteFile(o.out, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "--noprofile", "--norc", "-c", script)
	cmd.Dir = o.work
	cmd.Env = []string{"PATH=" + o.bin, "HOME=/home/dev", "SHOWN=" + o.out}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	_ = cmd.Run() // the exit code is that of the last command
	if ctx.Err() != nil {
		return nil, false // a loop without end
	}
	if strings.Contains(stderr.String(), "syntax error") || strings.Contains(stderr.String(), "unexpected") {
		return nil, false
	}
	text, err := os.ReadFile(o.out)
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
	for len(words) > 0 && len(text) > 0 {
		n, err := strconv.Atoi(words[0])
		if err != nil || n >= len(words) {
			t.Fatalf("%q: the stand-in printed %q", script, text)
		}
		calls = append(calls, words[1:1+n])
		words = words[1+n:]
	}
	return calls, true
}

// covers reports whether words that the guard computed allow for the words of bash. "…" is unknown text: as a word by itself
// it may be any number of words.
func covers(have, real []string) bool {
	if len(have) == 0 {
		return len(real) == 0
	}
	if strings.Trim(have[0], "…") == "" && have[0] != "" {
		for i := range len(real) + 1 {
			if covers(have[1:], real[i:]) {
				return true
			}
		}
		return false
	}
	if len(have) > 1 && (strings.HasSuffix(have[0], "…") || have[1] == "…") && covers(append([]string{have[0] + have[1]}, have[2:]...), real) {
		return true // a list that may be empty: what is before it and behind it are one word then
	}
	if before, after, ok := strings.Cut(have[0], "…"); ok { // it may be several words, of which the first and the last are partly known
		if i := strings.LastIndex(after, "…"); i >= 0 {
			after = after[i+len("…"):]
		}
		for i := 2; i <= len(real); i++ {
			if strings.HasPrefix(real[0], before) && strings.HasSuffix(real[i-1], after) && covers(have[1:], real[i:]) {
				return true
			}
		}
	}
	return len(real) > 0 && fits1(have[0], real[0]) && covers(have[1:], real[1:])
}

// fits1 matches a word with unknown parts.
func fits1(pattern, text string) bool {
	before, after, ok := strings.Cut(pattern, "…")
	if !ok {
		return pattern == text
	}
	rest, ok := strings.CutPrefix(text, before)
	if !ok {
		return false
	}
	for i := range len(rest) + 1 {
		if fits1(after, rest[i:]) {
			return true
		}
	}
	return false
}

// disagreement describes a run of show that the guard does not foresee, "" where there is none.
func disagreement(script string, calls [][]string) string {
	r := Analyze(script, testContext())
	if r.Class() > effect.Unknown {
		return "" // it is asked about in any case
	}
	for _, call := range calls {
		foreseen := slices.ContainsFunc(r.Commands, func(words []string) bool {
			return len(words) > 0 && words[0] == "show" && covers(words[1:], call)
		})
		if !foreseen {
			return fmt.Sprintf("bash runs show %q, the guard foresees %q", call, r.Commands)
		}
	}
	return ""
}

// expansionScripts are scripts that were computed wrongly once, and one for each feature.
var expansionScripts = []string{
	`show${IFS}-rf${IFS}/`,
	`x=" a  b "; show $x; show "$x"; show [$x]`,
	`IFS=:; x=a:b::c:; show $x`,
	`IFS=" :"; x=" a : b :: c "; show $x; show "$x"`,
	`IFS=; x="a b"; show $x`,
	`IFS=, read -r a b <<< "x,/etc/shadow"; show "$a" "$b"`,
	`IFS=: read -r a b <<< "x:y:"; show "$a" "$b"`,
	`read -ra w <<< "a b  c"; show "${w[@]}" "${#w[@]}" "${w[1]}" "${w[-1]}"`,
	`read a b <<< 'x\ y z'; show "$a" "$b"`,
	`mapfile -t l <<< $'a b\nc'; show "${l[0]}" "${l[1]}"`,
	`mapfile l <<< $'a\nb'; show "${l[0]}"`,
	`printf '%s\0' "a b" c | xargs -0 show`,
	`a=(x "y z" w); show "${a[@]:1}" "${a[@]: -1}" ${a[1]} "${a[*]}"`,
	`a=(x y); a+=(z); a[5]=q; show "${a[@]}" "${!a[@]}" "${#a[@]}"`,
	`declare -A m; m[k]=v; m[j]="a b"; show "${m[k]}" "${m[j]}"`,
	`set -- a "b c" d; shift; show "$@" $# "${@:1:1}" "${@:2}" "$*" $1`,
	`set -- a b; f() { show "$1" "$@"; }; f x "y z"; show "$1"`,
	`f() { local x=in; show $x; }; x=out; f; show $x`,
	`x=abcabc; show ${x/b/X} ${x//b/X} ${x/#a/X} ${x/%c/X} ${x#*b} ${x##*b} ${x%b*} ${x%%b*}`,
	`x=aBc; show ${x^} ${x^^} ${x,,} ${x:1} ${x:0:1} ${x: -1} ${#x}`,
	`y=/etc/shadow; x=y; show ${!x}`,
	`a=(p q); x='a[1]'; show ${!x}`,
	`show {a,b}{c,d} {1..3} {c..a} a{,b} {a} "{a,b}"`,
	`set +B; show {a,b}`,
	`i=3; show $((i+1)) $((i*2-1)) $((i++)) $i $((i>2?i:0))`,
	`x=5; ((x+=2)); let x*=2; show $x`,
	`show "$@" "" ''`,
	`show ""$x`,
	`x=; show $x "$x" a$x`,
	`show ${x:-a b} "${x:-a b}" ${x:-"a b" c}`,
	`x=a; false && x=b; show $x`,
	`for i in a "b c"; do x=$x$i; done; show "$x"`,
	`i=0; while [ $i -lt 3 ]; do i=$((i+1)); y=$x; x=/etc/shadow; done; show "$y"`,
	`printf -v x '%s-%s' a b; show $x`,
	`x=$(echo a; echo b); show $x "$x"`,
	`x=$(printf 'a\nb\n\n'); show "$x"`,
	`echo -e 'a\tb' | { read x y; show "$x" "$y"; }`,
	`for i in 1 /etc/shadow; do :; done; show $i`,
	`x=/etc/shadow; for i in a; do break; x=b; done; show $x`,
	`show "~/x" ~/x ~ x~ "$HOME"`,
	`HOME=/etc; show ~/x`,
	`x='a"b'; show $x`,
	`while read -r a b; do show "$b" "$a"; done <<< $'1 2\n3 4 5'`,
	`case a in a) x=1;; esac; show $x`,
	`x=y; y=z; show "${x}${y}" $x$y "$x"' '$y`,
	`set -- "a b" c; for w; do show "$w"; done; for w in $*; do show "$w"; done`,
	`IFS=-; set -- a b; show "$*" $*; x="$*"; show "$x"`,
	`unset x; show ${x-d} ${x+e} ${x:=f} $x`,
	`x=a:~/b; show $x "x:~/y"`,
	`a=([2]=x [0]=y z); show "${a[@]}"`,
	`f() { set -- p q; show $2; }; f a; show $1`,
	`show $'a\tb\x41\101' $"c"`,
	`x=ab; show "${x@U}" "${x@u}"`,
	`a=("a b" c); b=("${a[@]}"); show "${b[0]}" "${#b[@]}"; c=(${a[@]}); show "${c[0]}"`,
	// What bash sets itself, or keeps from changing.
	`unset IFS; x=" a b "; show $x`,
	`PWD=a; cd /etc; show $PWD`,
	`OLDPWD=a; cd /etc; cd /usr; show $OLDPWD`,
	`FUNCNAME=/etc; show $FUNCNAME x`,
	`true /etc/s; _=a; true b; show $_`,
	`[[ /etc/shadow =~ (.*)/(.*) ]] && show ${BASH_REMATCH[2]} "${BASH_REMATCH[1]}"`,
	`OPTARG=a; getopts f: o -f /etc/s; show $OPTARG $o`,
	`fd=a; exec {fd}< /dev/null; show $fd`,
	`x=a; wait -n -p x; show $x`,
	`x=a; coproc x { :; }; show $x`,
	`readonly x=; read x <<< tmp/a; show "/$x"`,
	`readonly x=tmp/a; unset x; show "/$x"`,
	`pushd / >/dev/null; show ~0 ~+0`,
	`show a=~/x a=b:~/c A+=~/x 1a=~/x a/b=~/x a=~:~ "a"=~ a\=~ a="~"`,
	`true && declare -i x; x=7+3; show $x`,
	`x=(tmp/a); unset x[0]; show "/$x"`,
	// What may not have run.
	`false && x=tmp/a; show "/$x"`,
	`if [ -f nope ]; then x=tmp/a; else x=; fi; show "/$x"`,
	`x=tmp/a; [ -d . ] && x=; show "/$x" "$x/b"`,
	`x=tmp/a; [ -d . ] && x=; y="/$x"; show "$y"; z=("$y"); show "${z[0]}"; for i in $y; do show $i; done`,
	`x=tmp/a y=b; [ -d . ] && x=; [ -d . ] && y=; show "$x/$y"`,
	`x=tmp/a; [ -d . ] && x=; x+=/b; show "$x"`,
	`if [ -d . ]; then x=a/b; else x=c/d; fi; show $x/e`,
	`if [ -f nope ]; then x=a/b; elif [ -d . ]; then y=c/d; else x=e; fi; show "$x/$y"`,
	`x=a; [ -d . ] && unset x; show ${x-/etc/s}`,
	`[ -f nope ] && x=a; show ${x-/etc/s} ${x+b}`,
	`x=$([ -f nope ] && echo tmp/a); show "/$x" "/$([ -f nope ] && echo tmp/a)"`,
	`show "/${nope+tmp/a}"`,
	`x=b; for i in 1; do [ -f q ] && break; x=/etc/s; [ -d . ] && break; x=c; done; show $x`,
	`for i in /etc/s a; do break; done; show $i`,
	`while read x; do break; done <<< $'/etc/s\na'; show $x`,
	`f() { for i in /etc/s a; do [ -n $i ] && return; done; }; f; show $i`,
	`echo q | { i=; y=; x=a; while [ "$i" != aaa ]; do y=$x; x=/etc/s; show $y; i=a$i; done; }`,
	`x=$(trap 'echo /etc/s' EXIT); show "$x" e`,
	// Positional parameters in loops, and functions that call themselves.
	`f() { while [ $# -gt 0 ]; do show "$1"; shift; done; }; f a /etc/s`,
	`set -- a b /etc/s; until [ $# = 0 ]; do show "$1"; shift; done`,
	`f() { show "$1"; shift; [ $# -gt 0 ] && f "$@"; }; f a b c d /etc/s`,
	`f() { x=$((x+1)); [ $x -lt 3 ] && f; }; x=0; f; show $x`,
	// Where output goes.
	`show /$(echo tmp/x >&2)`,
	`show /$(echo b >&2; echo c) $(echo a >&-) e`,
	`show $( { echo b >&2; } 2>&1 ) $(echo c 3>&1 1>&2 2>&3) e`,
	`x=$(exec >&2; echo tmp/a); show "/$x"`,
	// xargs
	`printf 'a\nb\n' | xargs -n1 show x`,
	`printf 'a b\nc d\n' | xargs -L 1 show`,
	`echo a b c d e | xargs -n2 show -x`,
	`echo 'a\ b "c d"' | xargs show`,
	`printf -v x '%05d' 42; show $x`,
	// Braces are expanded before variables, as text.
	`xa=/etc/s; show $x{a,b}; x1=/etc/t; show $x{1,2} "$x"{a,b}`,
	`show {~,a}/q ~{root,-}/q`,
	`show {a,} {$nope,b} {"",c}`,
	// Single quotes within double quotes are letters.
	`show "${nope:-'d e'}" "${nope+'x'}" "${HOME:+'y z'}" ${nope:-'d e'}`,
	// What bash refuses leaves things as they are.
	`x=/etc/s; local x=a; show $x; f() { local x=b; show $x; }; f; show $x`,
	`show ~- x`,
	// Several values of a variable.
	`x=/etc/s; [ -f nope ] && x=a; for x in "$x"; do :; done; show "/$x"`,
	`i=0; a=(o q); [ -d . ] && i=-1; a[i+1]=/etc/s; show "${a[1]}" "${a[0]}"`,
	`i=0; y=z; [ -d . ] && i=1; ((y=i+2)); show $y`,
	`i=0; y=a; [ -f nope ] && y=b; a=(p q r); show $((i+=2)) $y ${a[i]}`,
	`set -- $nope /etc/s; show ${1:-x}`,
	`printf -v x '%c%s' '' foo; show "/$x"`,
}

// shellScripts start other shells: they have what is exported, and nothing else.
var shellScripts = []string{
	`x=tmp/q; bash -c 'show "/$x" e'`,
	`export x=tmp/q; bash -c 'show "/$x" e'`,
	`x=tmp/q bash -c 'show "/$x" e'`,
	`set -a; x=tmp/q; bash -c 'show "/$x" e'`,
	`HOME=/etc; bash -c 'show ~/s'`,
	`a=(1 2); bash -c 'show "${a[1]}" e'`,
	`IFS=:; bash -c 'x="a b"; show $x'`,
	`set -f; x='a b'; bash -c 'x="c d"; show $x'`,
	`set -- a b; bash -c 'show "$1" e'`,
	`x=a; bash -c 'x=/etc/s'; show $x`,
}

// agrees checks that the guard expands what each script shows as bash does.
func (o *oracle) agrees(t *testing.T, scripts []string) {
	t.Helper()
	for _, script := range scripts {
		calls, ok := o.shown(t, script)
		if !ok || len(calls) == 0 {
			t.Errorf("%q: bash does not run it", script)
			continue
		}
		if why := disagreement(script, calls); why != "" {
			t.Errorf("%q: %s", script, why)
		}
	}
}

func TestExpansionInAnotherShellEqualsBash(t *testing.T) {
	o := newOracle(t)
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("SKIPPED: bash is not installed")
	}
	if err := os.Symlink(bash, filepath.Join(o.bin, "bash")); err != nil {
		t.Fatal(err)
	}
	o.agrees(t, shellScripts)
}

func TestExpansionEqualsBash(t *testing.T) {
	o := newOracle(t)
	o.agrees(t, expansionScripts)
}

// randomScript makes a script of the features that expansion has.
func randomScript(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	name := func() string { return pick("x", "y", "z") }
	value := func() string {
		return pick("a", `"b c"`, "/etc/s", "-rf", `"x,y"`, "a:b:", `""`, `" p  q "`, "abcabc", "12", `'$x'`, `$x`, `"$y"`, `$y$z`, `"${a[@]}"`, `${a[1]}`, "~/q", "{k,l}", "$((i+1))", `$(echo u v)`)
	}
	use := func() string {
		return pick("$x", `"$x"`, "$y", `"$z"`, "${x}${y}", "a$x", `"a $x"`, "$x$y", `"$@"`, "$@", "$*", `"$*"`, "$1", `"$2"`, "$#", "${a[0]}", `"${a[@]}"`, "${a[*]}", `"${a[*]}"`, "${a[-1]}", "${#a[@]}", "${a[@]:1}", `"${a[@]:0:1}"`, "${@:1:1}", `"${@:2}"`,
			"${x#a}", "${x##*b}", "${x%c}", "${x%%b*}", "${x/b/Q}", "${x//b}", "${x/#a/Q}", "${x^^}", "${x,}", "${x:1}", "${x: -1}", "${x:0:2}", "${#x}", "${x:-d e}", `"${y:-d e}"`, "${q-u}", "${x:+w}", "${!n}", `"${m[k]}"`, "${m[j]}", "$((i+2))", "$((i*3))", "{a,b}$x", "{1..3}", "~/t", "$(echo $x)", `"$(printf '%s' "$y")"`, `\$x`, `'$x'`, `${x:-"d e" f}`, "${z@U}", "$i", "${x}${IFS}b", `"$IFS"`, `$(printf '%s\n' a b)`, "${w[0]}", `"${w[1]}"`, "$REPLY", "${a[i]}", "${a[$i]}",
			"${a[@]/b/Q}", `"${a[@]#o}"`, `"${a[@]^}"`, `"${@/#/p}"`, `"${@%c}"`, "${*:2}", `"${*:1:2}"`, "${#*}", "${#1}", "${1:-v}", "${10}", `"${10-t u}"`, "${x:0:-1}", "${x:(-2):1}", "${x//[a-c]/_}", "${x#[!b]}", "${x/?/Q}", "${x%%[[:space:]]*}",
			`${x:+"$x" y}`, `"${x:-'d e'}"`, "${x:-$(echo a b)}", "${y:-${x}}", `"${y:-"$x" z}"`, "${x-}", `$'a\'b\x41\u0041\101'`, `$'t\tn\n'`, `$"l $x"`, "{01..03}", "{a..e..2}", "{3..1}", "a{b,c}{d,e}", "{a,b{c,d}}", "{a,}", `\{a,b}`, `{"a b",c}`, "{$x,$y}", "x{,}",
			"$((16#f))", "$((i<<2))", "$((i**2))", "$((i>1?5:6))", "$((~i))", "$((i,2))", "$((010))", "$((i+=2))", "$((-i--))", "$[i+1]", "`echo $x`", "`echo \"\\$x\"`", "`echo \\`echo a b\\``", `"$(echo "$x" y)"`, "$(echo '$x' \"$x\")", "$(printf '%s\\n' $x)", "$(echo -n a; echo ' b')", "~", "~-", "a:~/b", "x=~/b",
			`"$x"$y'z'`, `"a"'b'c`, `a\ b`, `"\$x \a"`, `"$@$x"`, `a"$@"b`, `"${a[@]}"c`, "$*$@", "${m[@]}", "${!a[@]}", `"${a[*]:1}"`, "${a[@]: -1}", "${a[-2]}", "${a[i+1]}", "${a[$((i-1))]}", "${#m[@]}", "${n}", "${x@L}", "$x{a,b}", "$x{1,2}", "${a}", `"${a}"`, "$m", "${i}0", "$i$i")
	}
	words := func() string {
		var all []string
		for range 1 + r.IntN(4) {
			all = append(all, use())
		}
		return strings.Join(all, " ")
	}
	var statement func(depth int) string
	more := func(depth int) string {
		switch n := r.IntN(22); {
		case n < 2:
			return pick("declare ", "local ", "export ", "typeset ", "readonly q=1; declare ") + name() + "=" + value()
		case n < 3:
			return pick("declare -a a=(", "a=(", "a+=(") + words() + ")"
		case n < 4:
			return "declare -A m=([" + pick("k", "j", "$i") + "]=" + value() + ")"
		case n < 5:
			return pick("a[i+1]=", "a[0]+=", "a[2]=", "m[$x]=", "m[k]+=") + value()
		case n < 6:
			return pick("read -d : x y", "read -n 2 x", "read -ra a", "mapfile -t -n 1 w", "mapfile -t -s 1 w", "mapfile -t -O 1 w", "read -r x; read -r y", "read") + " <<< " + value()
		case n < 7:
			return "{ read -r x; read y; } <<E\n" + pick("a b\nc", "$x\n$y", "p  q \n\\$x", "`echo u`\nv") + "\nE\n:"
		case n < 8:
			return "case " + use() + " in a) x=c1;; " + pick("*b*", "$y", "/*", "[a-c]") + ") y=c2;; *) z=c3;; esac"
		case n < 9:
			return "printf -v " + name() + " '" + pick("%s,", "%d", "%q", "%b", "%5s|", "%-4s.", "%x", "%c", "%s %s\\n", "%%") + "' " + words()
		case n < 10:
			return pick("echo ", "echo -n ", "echo -e 'p\\tq' ", "printf '%s ' ") + words() + " | { read " + pick("-r ", "") + "x y; show \"$x\" $y; }"
		case n < 11:
			return "x=1 y=" + value() + " show $x " + words()
		case n < 12:
			return pick("command show ", "! show ", "time show ", "builtin command show ", "exec 3>&1; show ") + words()
		case n < 13:
			return pick("unset a", "unset -v y", "unset 'm[k]'", "shift $((i-1))", "shift $#", "set --", "set -f", "set +f", "IFS=$x", "local IFS=:", "unset IFS", "i=$((i+2))", "i=07", "set -- \"${@:2}\"", "x=${x:1}", "i=$#", ": ${q:="+value()+"}", "[[ abc =~ (a)(.) ]]; x=${BASH_REMATCH[2]}", "n=1")
		case n < 14 && depth > 0:
			return "g() { " + pick("local IFS=,; ", "local -a a=(l m); ", "set -- h; ", "shift; ", "") + statement(depth-1) + "; " + pick("", "return; ") + "show " + words() + "; }; g " + words() + "; show " + words()
		case n < 15 && depth > 0:
			return "for i in 1 2 3; do " + pick("[ $i = 2 ] && break; ", "[ $i = 1 ] && continue; ", "((i==2)) && break; ", "") + statement(depth-1) + "; done"
		case n < 16 && depth > 0:
			return pick("while ((c<2)); do ((c++)); ", "until [ $c = 2 ]; do c=$((c+1)); ", "for ((i=0;i<2;i++)); do ") + statement(depth-1) + "; show " + use() + "; done"
		case n < 17 && depth > 0:
			return "while IFS=" + pick(",", ":", "") + " read -r x y; do " + statement(depth-1) + "; show \"$x\" \"$y\"; done < <(printf '%s\\n' " + words() + ")"
		case n < 18:
			return "for " + pick("k in \"${!m[@]}\"; do show \"${m[$k]}\"", "x; do show $x", "x in \"$*\"; do show \"$x\"", "x in $(echo "+use()+"); do show $x") + "; done"
		case n < 19:
			return "x=$(" + pick("IFS=:; echo $y", "set -- q r; echo $2", "x=in; echo \"$x $y\"", "echo a; exit; echo b", "f2() { echo \"$1\"; }; f2 "+use(), "printf '%s' \"${a[@]}\"") + ")"
		case n < 20:
			return "printf '" + pick("%s\\n", "a %s\\n", "'%s'\\n", "%s ") + "' " + words() + " | xargs " + pick("", "-n1 ", "-n 2 ", "-L1 ", "-I{} ", "-d '\\n' ") + "show " + pick("", "{} ", "x{}y ", "p ")
		case n < 21:
			return "set -- $x " + words()
		}
		return pick("x=$y$z", "y=\"$x\"", "x+=$i", "z=$x:$y", "y=~", "x=~/a:~/b", "y=${x/a/$z}", "x=\"${a[*]}\"", "y=$*", "z=\"$@\"", "a=($x)", "a=(\"$@\")", "a=([2]=$x y)", "x=(${a[@]})", "y=${#x}", "x=`echo $y`")
	}
	statement = func(depth int) string {
		if r.IntN(3) == 0 {
			return more(depth)
		}
		switch n := r.IntN(30); {
		case n < 5:
			return name() + "=" + value()
		case n < 6:
			return name() + "+=" + value()
		case n < 8:
			return "a=(" + value() + " " + value() + ")"
		case n < 9:
			return pick("a+=("+value()+")", "a[1]="+value(), "a[i]="+value(), "a[-1]="+value(), "unset 'a[0]'")
		case n < 10:
			return "IFS=" + pick(`:`, `", "`, `""`, `" "`, `$' \t\n'`, "b")
		case n < 11:
			return pick("IFS=, ", "IFS=: ", "") + "read " + pick("-r ", "") + pick("x y", "x", "-a w", "y z x", "") + " <<< " + value()
		case n < 12:
			return "mapfile " + pick("-t ", "") + "w <<< " + value()
		case n < 14:
			return "set -- " + words()
		case n < 15:
			return pick("shift", "shift 2", "unset x", "n=x", "n=y", "i=2", "((i++))", "i=$((i*2))", "let i+=3", "declare -i i=5", "printf -v z '%s-' "+value())
		case n < 16:
			return pick("m[k]="+value(), "m=([k]="+value()+" [j]=2)")
		case n < 17 && depth > 0:
			return "f() { " + pick("local x="+value()+"; ", "") + statement(depth-1) + "; show " + words() + "; }; f " + words()
		case n < 18 && depth > 0:
			return "for " + name() + " in " + words() + "; do " + statement(depth-1) + "; done"
		case n < 19 && depth > 0:
			return pick("true", "false", "[ $i = 2 ]") + pick(" && ", " || ") + "show " + words()
		case n < 20 && depth > 0:
			return "if " + pick("true", "false") + "; then show " + words() + "; else show " + words() + "; fi"
		case n < 21:
			return "printf '%s\\0' " + words() + " | xargs -0 show"
		case n < 22 && depth > 0:
			return "(" + statement(depth-1) + "; show " + words() + ")"
		case n < 23 && depth > 0:
			return "while read -r x y; do " + statement(depth-1) + "; done <<< " + value()
		}
		return "show " + words()
	}
	var b strings.Builder
	b.WriteString("declare -A m; c=0; i=1; n=x; xa=/etc/p; xb=; x1=q; x2=; x=" + value() + "; y=; z=' s'; w=(r); a=(o 'p q'); set -- s 't u'; ")
	for range 2 + r.IntN(6) {
		b.WriteString(statement(2) + "; ")
	}
	b.WriteString("show " + words())
	return b.String()
}

// TestRandomExpansionEqualsBash compares random scripts. REIN_EXPANSIONS sets how many, REIN_SEED where it begins.
func TestRandomExpansionEqualsBash(t *testing.T) {
	o := newOracle(t)
	many, _ := strconv.Atoi(os.Getenv("REIN_EXPANSIONS")) // 0 where it is not set
	if many == 0 {
		many = 150
	}
	seed, _ := strconv.Atoi(os.Getenv("REIN_SEED")) // 0 where it is not set
	asked, failed := 0, 0
	for i := range many {
		script := randomScript(rand.New(rand.NewPCG(uint64(seed), uint64(i)))) // #nosec: not a secret
		calls, ok := o.shown(t, script)
		if !ok {
			continue
		}
		if Analyze(script, testContext()).Class() > effect.Unknown {
			asked++
		}
		if why := disagreement(script, calls); why != "" {
			t.Errorf("script %d of seed %d: %q: %s", i, seed, script, why)
			if failed++; failed > 20 {
				break
			}
		}
	}
	t.Logf("%d scripts, %d of them asked about in any case", many, asked)
}

// FuzzExpansion compares with bash the words of scripts that the fuzzer's number makes.
func FuzzExpansion(f *testing.F) {
	o := newOracle(f)
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) {
		script := randomScript(rand.New(rand.NewPCG(a, b))) // #nosec: not a secret
		if calls, ok := o.shown(t, script); ok {
			if why := disagreement(script, calls); why != "" {
				t.Fatalf("%q: %s", script, why)
			}
		}
	})
}
