package extend

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// mostMatch is how many places of a rule in one text are found.
const mostMatch = 5

// patternRule is a pattern and what it means. What it finds is for a person to read.
type patternRule struct {
	Severity string // low, medium, high, critical
	Name     string
	Why      string
	words    []string              // in lower case: a text without one of them is not searched
	whole    bool                  // the pattern goes over several lines
	pattern  func() *regexp.Regexp // compiled at its first use
}

// readPatterns reads rules, at their first use, from lines of severity, name, reason, words between bars, and pattern.
func readPatterns(all ...[5]string) func() []patternRule {
	return sync.OnceValue(func() (list []patternRule) {
		for _, r := range all {
			list = append(list, patternRule{r[0], r[1], r[2], strings.Split(r[3], "|"), strings.HasPrefix(r[4], "(?s"), sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(r[4]) })})
		}
		return list
	})
}

// In finds the first places of the rule in a text.
func (r patternRule) In(text string) (places [][]int) {
	if r.whole {
		if r.mentioned(text) {
			return r.pattern().FindAllStringIndex(text, mostMatch)
		}
		return nil
	}
	at := 0
	for l := range strings.Lines(text) {
		if r.mentioned(l) {
			for _, p := range r.pattern().FindAllStringIndex(l, mostMatch) {
				places = append(places, []int{at + p[0], at + p[1]})
			}
		}
		if at += len(l); len(places) >= mostMatch {
			break
		}
	}
	return places
}

func (r patternRule) mentioned(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(r.words, func(w string) bool { return strings.Contains(text, w) })
}

// prosePatterns are the rules for what a text tells a model.
var prosePatterns = readPatterns(
	[5]string{"critical", "prose.override", "tells the model to drop its instructions", "instruction|prompt|guideline|restriction|constraint|guardrail",
		`(?i)\b(ignore|disregard|forget|override)\s+(all |any |everything |of |the |your |my |these |those )*(previous|prior|earlier|above|preceding|system|safety|other|existing)( \w+)? (instructions?|prompts?|guidelines|restrictions|constraints|guardrails)\b`},
	[5]string{"critical", "prose.exfiltrate", "tells the model to send credentials away", "key|credential|password|secret|token|.env|environment",
		`(?i)\b(send|post|upload|transmit|forward|exfiltrate|leak|email|submit|append)\b[^.\n]{0,80}\b(api[ _-]?keys?|credentials?|passwords?|secrets|access tokens?|ssh keys?|private keys?|environment variables|\w*\.env)\b[^.\n]{0,60}\b(to|at|via)\b[^.\n]{0,20}(https?://|[\w-]+@[\w-]+\.|our |my |this (server|endpoint|webhook|address))`},
	[5]string{"high", "prose.hide", "tells the model to hide something from the user", "user|human|developer|operator",
		`(?i)\b(do not|don't|never|without)\s+(ever\s+)?(tell|mention|inform|reveal|alert|notify|disclose|telling|mentioning|informing|revealing|alerting|notifying)\b[^.\n]{0,25}\b(to )?(the |your )?(user|human|developer|operator)s?\b[^.\n]{0,30}\b(about|that|of|this|it|what|anything)\b`},
	[5]string{"critical", "prose.secretly", "tells the model to do something in secret", "secretly|silently|covertly|quietly",
		`(?i)\b(secretly|silently|covertly|quietly)\b[^.\n]{0,30}\b(send|upload|post|copy|exfiltrate|collect|read|run|execute)\s[^.\n]{0,60}\b(keys?|credentials?|tokens?|secrets?|passwords?|history|payload|https?:)`},
	[5]string{"high", "prose.approved", "claims an approval of the user", "user",
		`(?i)\b(the )?user (has|have)( already)? (approved|authori[sz]ed|consented|permitted|granted)\b[^.\n]{0,40}\b(all|every|any|everything|this|these|full)\b`},
	[5]string{"high", "prose.no-approval", "tells the model to get round approvals or the sandbox", "approval|permission|sandbox|guard|safety",
		`(?i)\b(skip|bypass|disable|circumvent|get around|evade)\b[^.\n]{0,25}\b(approvals?|permission (checks?|prompts?)|the sandbox|sandboxing|(the|its|rein.s|any) guards?|guardrails|safety checks?)\b|--dangerously-(skip|bypass)|\bbypassPermissions\b`},
	[5]string{"high", "prose.role", "imitates the frame of a conversation", "<|im_|<|sys|<|end|[inst]|[/inst]|<<sys|you are",
		`<\|(im_start|im_end|system|endoftext)\|>|\[/?INST\]|<<SYS>>|(?i)\byou are (now )?(in )?(dan\b|developer mode|god mode|jailbroken|unrestricted|no longer bound)`},
	[5]string{"high", "prose.sink", "names a place where stolen data is often sent", "webhook|requestbin|pipedream|ngrok|oast|interact|burp|telegram|pastebin|transfer.sh",
		`(?i)\b(webhook\.site|requestbin\.|[\w-]+\.pipedream\.net|[\w-]+\.ngrok(-free)?\.(io|app)|[\w-]+\.oast(ify)?\.\w+|interact\.sh|burpcollaborator|discord(app)?\.com/api/webhooks/\d|api\.telegram\.org/bot\d|pastebin\.com/api|transfer\.sh/)`},
)

// programPatterns are the rules for scripts that are no shell text.
var programPatterns = readPatterns(
	[5]string{"critical", "code.decoded", "runs text that it decodes first", "exec|eval|compile|function|iex|invoke",
		`\b(exec|eval|compile|new Function|iex|Invoke-Expression)\b\s*\([^\n;\\]{0,100}(b64decode|base64\.\w*decode|base64_decode|atob\(|fromCharCode\(|unhexlify|fromhex|zlib\.|marshal\.loads|decompress\(|codecs\.decode)`},
	[5]string{"critical", "code.reverse-shell", "connects a shell to the network", "socket|net.",
		`(?s)socket\.socket.{0,600}(os\.dup2|pty\.spawn|["']/bin/(ba)?sh)|net\.(Socket|connect).{0,400}(/bin/(ba)?sh|cmd\.exe)`},
	[5]string{"critical", "code.environment", "sends the whole environment away", "environ|process.env",
		`(?s)(requests\.(post|put)|urlopen|fetch|axios\.\w+|http\.request|httpx\.\w+)\s*\([^;]{0,200}(dict\(os\.environ\)|os\.environ\s*[,)}\]]|os\.environ\.copy\(\)|JSON\.stringify\(process\.env\)|process\.env\s*[,)}])`},
	[5]string{"high", "code.credentials", "reads a store of credentials", ".ssh|.aws|.netrc|.git-c|.docker|.kube|gcloud|login data|wallet.dat|shadow|keychain",
		`(?i)\.ssh/(id_|authorized)|\.aws/credentials|\.netrc\b|\.git-credentials|\.docker/config\.json|\.kube/config|gcloud/.{0,20}credentials|Login Data\b|wallet\.dat|/etc/shadow|\bkeychain\b.{0,30}(dump|find-generic)`},
	[5]string{"medium", "code.persistent", "changes what runs at a login or a start", "launchagents|systemd|autostart|authorized_keys|currentversion|rc|profile",
		`(?i)LaunchAgents|systemd/user|\.config/autostart|authorized_keys|CurrentVersion\\+Run|(open|write|append|>>)[^\n]{0,40}\.(bashrc|zshrc|profile|bash_profile)`},
	[5]string{"high", "code.escaped", "a long text in escaped bytes", `\x|\u00`, `(\\x[0-9a-fA-F]{2}){24,}|(\\u00[0-9a-fA-F]{2}){24,}`},
	[5]string{"high", "code.fetched", "fetches code and runs it", "exec|eval",
		`\b(exec|eval)\s*\(\s*(requests\.get|urllib|urlopen|await fetch|httpx\.get)`},
)
