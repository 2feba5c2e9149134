package guards

import (
	"testing"

	"rein/guard"
)

// common are sixty commands that agents run most, of each kind as often as it is met.
var common = []string{
	"git status", "git diff", "git diff --stat", "git log --oneline -10", "git add -A", "git commit -m 'fix the parser'", "git checkout -b fix", "git checkout main", "git branch", "git stash", "git show HEAD", "git blame main.go",
	"git push", "git pull", "git fetch origin", "ls -la", "cat README.md", "head -50 main.go", "tail -20 app.log", "sed -n '1,80p' main.go", "sed -i 's/old/new/' main.go", "grep -rn TODO src", "rg 'func main'", "find . -name '*.go'",
	"wc -l main.go", "awk '{print $1}' a.txt", "jq .version package.json", "sort a.txt | uniq -c", "diff a.txt b.txt", "tree -L 2", "pwd", "which node", "echo done", "date", "ps aux", "lsof -i :3000", "sleep 2", "mkdir -p src/x", "cp a.txt b.txt", "mv a.txt b.txt",
	"touch a.txt", "chmod +x run.sh", "rm a.txt", "rm -rf node_modules", "kill 1234", "curl -s http://localhost:3000/health", "curl -sL https://example.com/a.json", "npm install", "npm test", "npm run build", "npx tsc --noEmit", "pip install requests",
	"pytest -q", "python3 main.py", "go build ./...", "go test ./...", "go mod tidy", "make", "docker compose up -d", "docker ps",
}

// TestCommonCommandsAskSeldom: at most 15 of 60 ask in supervised mode, none of them with more than a low severity. What a session can undo
// is counted as if it could not.
func TestCommonCommandsAskSeldom(t *testing.T) {
	var asked []string
	for _, cmd := range common {
		v := home.Judge(t.Context(), bash(cmd))
		if v.Decision != guard.Allow {
			asked = append(asked, cmd)
		}
		if v.Decision == guard.Deny || v.Severity > guard.Low {
			t.Errorf("%q: %v, severity %v (%s)", cmd, v.Decision, v.Severity, v.Reason)
		}
	}
	if len(common) != 60 || len(asked) > 15 {
		t.Errorf("%d of %d ask: %q", len(asked), len(common), asked)
	}
	t.Logf("%d of %d ask", len(asked), len(common))
}
