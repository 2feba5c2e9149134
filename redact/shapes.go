package redact

// shapes returns the anchors of well-known keys. Of two with the same beginning the longer one is first.
func shapes() []anchor {
	var all []anchor
	for _, s := range keys {
		set := newClass(s.class)
		all = append(all, anchor{kind: s.kind, prefix: s.prefix, match: tail(len(s.prefix), set, s.min, s.max)})
	}
	return append(all, contexts()...)
}

const (
	alnum  = "A-Za-z0-9"
	word   = "A-Za-z0-9_"
	dashed = "A-Za-z0-9_-"
	lowhex = "0-9a-f"
)

// keys are the shapes that are a prefix and a run of characters. Sources: the issuers' documentation.
var keys = []struct {
	kind, prefix, class string
	min, max            int // length of the run after the prefix
}{
	{"aws access key id", "AKIA", "A-Z2-7", 16, 16},
	{"aws access key id", "ASIA", "A-Z2-7", 16, 16},
	{"github token", "github_pat_", word, 50, 255},
	{"github token", "ghp_", alnum, 36, 255},
	{"github token", "gho_", alnum, 36, 255},
	{"github token", "ghu_", alnum, 36, 255},
	{"github token", "ghs_", alnum, 36, 255},
	{"github token", "ghr_", alnum, 36, 255},
	{"gitlab token", "glpat-", dashed + ".", 20, 300},
	{"gitlab token", "gldt-", dashed, 20, 64},
	{"gitlab token", "glrt-", dashed + ".", 20, 300},
	{"gitlab token", "glptt-", dashed, 20, 64},
	{"gitlab token", "glcbt-", dashed, 20, 64},
	{"gitlab token", "glsoat-", dashed, 20, 64},
	{"slack token", "xoxb-", alnum + "-", 20, 255},
	{"slack token", "xoxp-", alnum + "-", 20, 255},
	{"slack token", "xoxa-", alnum + "-", 20, 255},
	{"slack token", "xoxs-", alnum + "-", 20, 255},
	{"slack token", "xoxe-", alnum + "-", 20, 255},
	{"slack token", "xapp-1-", alnum + "-", 40, 255},
	{"slack webhook", "hooks.slack.com/services/T", alnum + "/", 30, 80},
	{"discord webhook", "discord.com/api/webhooks/", dashed + "/", 70, 120},
	{"stripe key", "sk_live_", alnum, 16, 255},
	{"stripe key", "rk_live_", alnum, 16, 255},
	{"stripe key", "sk_test_", alnum, 16, 255},
	{"stripe key", "rk_test_", alnum, 16, 255},
	{"webhook secret", "whsec_", alnum + "+/=", 24, 255},
	{"anthropic key", "sk-ant-", dashed, 40, 255},
	{"openai key", "sk-proj-", dashed, 40, 255},
	{"openai key", "sk-svcacct-", dashed, 40, 255},
	{"openai key", "sk-admin-", dashed, 40, 255},
	{"openrouter key", "sk-or-v1-", lowhex, 64, 64},
	{"api key", "sk-", alnum, 32, 64}, // older OpenAI, DeepSeek, Moonshot and others
	{"google api key", "AIza", dashed, 35, 35},
	{"google oauth token", "ya29.", dashed, 40, 2048},
	{"google oauth secret", "GOCSPX-", dashed, 28, 28},
	{"xai key", "xai-", alnum, 64, 128},
	{"groq key", "gsk_", alnum, 40, 64},
	{"perplexity key", "pplx-", alnum, 40, 64},
	{"replicate token", "r8_", alnum, 37, 40},
	{"hugging face token", "hf_", alnum, 34, 40},
	{"tavily key", "tvly-", dashed, 24, 64},
	{"npm token", "npm_", alnum, 36, 36},
	{"pypi token", "pypi-AgE", dashed, 50, 1024},
	{"rubygems key", "rubygems_", lowhex, 48, 48},
	{"crates.io token", "cio", alnum, 32, 32},
	{"docker token", "dckr_pat_", dashed, 27, 64},
	{"digitalocean token", "dop_v1_", lowhex, 64, 64},
	{"digitalocean token", "doo_v1_", lowhex, 64, 64},
	{"digitalocean token", "dor_v1_", lowhex, 64, 64},
	{"shopify token", "shpat_", "0-9a-fA-F", 32, 32},
	{"shopify token", "shpss_", "0-9a-fA-F", 32, 32},
	{"shopify token", "shpca_", "0-9a-fA-F", 32, 32},
	{"square token", "sq0atp-", dashed, 22, 22},
	{"square secret", "sq0csp-", dashed, 43, 43},
	{"sendgrid key", "SG.", dashed + ".", 60, 80},
	{"mailgun key", "key-", lowhex, 32, 32},
	{"vault token", "hvs.", dashed, 24, 255},
	{"vault token", "hvb.", dashed, 24, 400},
	{"databricks token", "dapi", lowhex, 32, 34},
	{"linear key", "lin_api_", alnum, 40, 48},
	{"notion token", "ntn_", alnum, 40, 60},
	{"figma token", "figd_", dashed, 40, 60},
	{"supabase token", "sbp_", lowhex, 40, 40},
	{"planetscale token", "pscale_tkn_", dashed + ".", 32, 64},
	{"doppler token", "dp.pt.", alnum, 40, 48},
	{"new relic key", "NRAK-", "A-Z0-9", 27, 27},
	{"grafana token", "glsa_", word, 40, 48},
	{"grafana token", "glc_", alnum + "+/=", 32, 400},
	{"sentry token", "sntrys_", alnum + "+/=_", 60, 400},
	{"postman key", "PMAK-", lowhex + "-", 59, 59},
	{"atlassian token", "ATATT3", dashed + "=", 150, 255},
	{"age secret key", "AGE-SECRET-KEY-1", "0-9A-Z", 58, 58},
	{"azure storage key", "AccountKey=", alnum + "+/=", 86, 90},
	{"azure shared access key", "SharedAccessKey=", alnum + "+/=", 43, 90},
}

// tail matches a run that is neither shorter nor longer than allowed and looks random.
func tail(prefix int, set *class, least, most int) func(*cursor) (int, int, bool) {
	return func(c *cursor) (int, int, bool) {
		from := c.i
		n := c.run(set, most)
		if n < least || n > most || !looksRandom(c.text[from:c.i]) {
			return 0, 0, false
		}
		return from - prefix, c.i, true
	}
}
