package settings

// ToolSearch says from when on the tools of servers, and rarely used ones of our own, are shown to the model only when it
// searches for them. Zero means the default.
type ToolSearch struct {
	Off   bool `json:"off,omitempty"`   // always show all of them
	Share int  `json:"share,omitempty"` // percent of the model's window that their definitions may take: 10
	Count int  `json:"count,omitempty"` // of them: 60
}
