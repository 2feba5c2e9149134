package api

// Rules are the rules that hold in a workspace.
type Rules struct {
	Dir      string        `json:"dir"`
	Rules    []Rule        `json:"rules" nullable:"false" doc:"deny wins over ask, ask over allow, in any order"`
	Warnings []RuleWarning `json:"warnings" nullable:"false" doc:"rules that never decide, that cover too much, that name no tool"`
	Project  string        `json:"project" doc:"file of the user's rules for this workspace"`
	User     string        `json:"user" doc:"file of the user's rules for all workspaces"`
}

// Rule is one rule.
type Rule struct {
	Decision string `json:"decision" enum:"allow,ask,deny"`
	Rule     string `json:"rule"`
	Layer    string `json:"layer" doc:"managed, user, project, local"`
	Source   string `json:"source" doc:"file:line"`
	High     bool   `json:"high_risk,omitempty" doc:"it also approves calls of high severity"`
	Why      string `json:"why,omitempty"`

	Match    []string `json:"match,omitempty" doc:"its tests: calls that it must cover; one that fails stops the start"`
	NotMatch []string `json:"not_match,omitempty" doc:"its tests: calls that it must not cover"`

	Here bool `json:"here,omitempty" doc:"it is the user's for this workspace"`
	Mine bool `json:"mine,omitempty" doc:"it is in a file of the user, and can be removed here"`
}

// RuleWarning is something wrong with rules.
type RuleWarning struct {
	Source string `json:"source,omitempty" doc:"file:line"`
	Text   string `json:"text"`
}

// ExplainCall names a call to explain.
type ExplainCall struct {
	Dir       string `json:"dir,omitempty" doc:"one of the workspaces; empty: the first one"`
	Call      string `json:"call" minLength:"1" maxLength:"20000" doc:"a shell command, or a call as rules write it: read_file(.env)"`
	Tool      string `json:"tool,omitempty" maxLength:"200" doc:"another tool than bash: call is the text between the parentheses"`
	Mode      string `json:"mode,omitempty" enum:"read-only,plan,ask,supervised,auto,full" doc:"empty: supervised"`
	Isolation string `json:"isolation,omitempty" enum:"full,files,none" doc:"what the sandbox enforces; empty: full"`

	Allowed []string `json:"allowed,omitempty" maxItems:"1000" doc:"rules that a person allowed for a session: they count too"`
}

// Explained is what a call would do, and what is decided about it. Nothing ran.
type Explained struct {
	Tool     string     `json:"tool"`
	Parts    []CallPart `json:"parts" nullable:"false" doc:"simple commands of the line"`
	Effects  []string   `json:"effects" nullable:"false"`
	Decision string     `json:"decision" enum:"allow,ask,deny"`
	By       string     `json:"by,omitempty" doc:"the rule that allows it"`
	Guards   string     `json:"guards" enum:"allow,ask,deny" doc:"the verdict without rules that allow"`
	Severity string     `json:"severity,omitempty"`
	Checks   []string   `json:"checks" nullable:"false" doc:"names of the checks that decided"`
	Reason   string     `json:"reason,omitempty"`
	RuleAt   string     `json:"rule_at,omitempty" doc:"file:line of the rule that decided"`
	Held     string     `json:"held,omitempty" doc:"a rule that covers it only with \"risk\": \"high\""`
	Always   []string   `json:"always" nullable:"false" doc:"rules that a lasting approval would add"`
}

// CallPart is a simple command.
type CallPart struct {
	Class string `json:"class"`
	Words string `json:"words"`
}

// Simulation says what to judge again: the calls of recorded sessions, with further rules.
type Simulation struct {
	Dir   string   `json:"dir,omitempty" doc:"one of the workspaces; empty: the first one"`
	Allow []string `json:"allow,omitempty" maxItems:"20"`
	Ask   []string `json:"ask,omitempty" maxItems:"20"`
	Deny  []string `json:"deny,omitempty" maxItems:"20"`
	Days  int      `json:"days,omitempty" minimum:"0" maximum:"3660" doc:"of the past; 0: 30"`
}

// Simulated is what the rules would have decided.
type Simulated struct {
	Sessions int        `json:"sessions"`
	Calls    int        `json:"calls"`
	Asked    int        `json:"asked" doc:"calls for which somebody was asked then"`
	Allow    int        `json:"allow" doc:"calls that would run now"`
	Ask      int        `json:"ask"`
	Deny     int        `json:"deny"`
	Changed  []Rejudged `json:"changed" nullable:"false" doc:"calls that the further rules decide otherwise, 200 at most"`
	More     bool       `json:"more,omitempty" doc:"the past is longer than what was judged, or more calls changed than are shown"`
	Offer    []string   `json:"offer" nullable:"false" doc:"allow rules that would save requests and allow nothing that was denied"`
	Saves    int        `json:"saves" doc:"requests that these rules would save"`
}

// Rejudged is a call of the past.
type Rejudged struct {
	Session string `json:"session"`
	Call    string `json:"call"`
	Tool    string `json:"tool"`
	Text    string `json:"text" doc:"the command, the files or the hosts"`
	Before  string `json:"before" enum:"allow,ask,deny"`
	After   string `json:"after" enum:"allow,ask,deny"`
	Refused bool   `json:"refused,omitempty" doc:"it was denied then"`
}

// RuleChange adds a rule to the user's settings, or takes it away.
type RuleChange struct {
	Dir      string `json:"dir,omitempty" doc:"one of the workspaces; empty: the first one"`
	Decision string `json:"decision" enum:"allow,ask,deny"`
	Rule     string `json:"rule" minLength:"1" maxLength:"2000"`
	Scope    string `json:"scope" enum:"project,always" doc:"for this workspace, or for all"`

	Match    []string `json:"match,omitempty" maxItems:"50" doc:"its tests: calls that it must cover"`
	NotMatch []string `json:"not_match,omitempty" maxItems:"50" doc:"its tests: calls that it must not cover"`
	Why      string   `json:"why,omitempty" maxLength:"500" doc:"is shown where the rule decides"`
	High     bool     `json:"high_risk,omitempty" doc:"it approves calls of high severity too: only of a rule that does so already"`

	Remove bool `json:"remove,omitempty"`
	Check  bool `json:"check,omitempty" doc:"change nothing"`
}

// RuleChanged is what became of a change.
type RuleChanged struct {
	Done     bool          `json:"done"`
	Warnings []RuleWarning `json:"warnings" nullable:"false"`
}
