package settings

// Terminal is how the chat looks and reacts on a terminal.
type Terminal struct {
	Theme   string            `json:"theme,omitempty"`   // auto, dark, light, none
	Colours map[string]string `json:"colours,omitempty"` // of a role, as "#rrggbb"
	Keys    map[string]string `json:"keys,omitempty"`    // of an action: keys between commas
	ASCII   bool              `json:"ascii,omitempty"`   // marks of ASCII characters alone
	Images  string            `json:"images,omitempty"`  // auto, kitty, iterm2, sixel, none
	Vi      bool              `json:"vi,omitempty"`      // the line has vi's normal mode: Esc
}
