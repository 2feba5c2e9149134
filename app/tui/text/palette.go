package text

// The palettes. Contrast is computed with the luminance of WCAG on #000000 #1e1e2e #282c34 #002b36 #2e3440, and on #ffffff
// #fafafa #fdf6e3 #eff1f5 #eeeeee: at least 4.5 everywhere. They are never changed.

var darkText = [Roles]colour{
	Dim:     {0x98a1ad, 247, -1},
	Accent:  {0x7db4f5, 111, 12},
	OK:      {0x7cc98a, 114, 2},
	Warn:    {0xe5b567, 179, 3},
	Error:   {0xf28b82, 210, 9},
	Mode:    {0xc39bf0, 141, 13},
	Code:    {0x8fd0d8, 116, 6},
	Keyword: {0xc39bf0, 141, 13},
	String:  {0x7cc98a, 114, 2},
	Comment: {0x98a1ad, 247, -1},
	Number:  {0xe5b567, 179, 3},
	Name:    {0x7db4f5, 111, 12},
}

var lightText = [Roles]colour{
	Dim:     {0x5b6570, 241, -1},
	Accent:  {0x0b5cad, 25, 4},
	OK:      {0x1a6e33, 22, 2},
	Warn:    {0x855200, 94, 3},
	Error:   {0xb3261e, 124, 1},
	Mode:    {0x6b3fb0, 61, 5},
	Code:    {0x0a6470, 23, 6},
	Keyword: {0x6b3fb0, 61, 5},
	String:  {0x1a6e33, 22, 2},
	Comment: {0x5b6570, 241, -1},
	Number:  {0x855200, 94, 3},
	Name:    {0x0b5cad, 25, 4},
}

// basicText has only colours that can be read on light and dark backgrounds.
var basicText = [Roles]colour{
	Accent: {0, 0, 4}, OK: {0, 0, 2}, Warn: {0, 0, 3}, Error: {0, 0, 1}, Mode: {0, 0, 5}, Code: {0, 0, 6},
	Keyword: {0, 0, 5}, String: {0, 0, 2}, Number: {0, 0, 3}, Name: {0, 0, 4},
}

var darkGrounds = [Grounds]ground{
	Added:       {on: colour{0x12361f, 22, 0}},
	Removed:     {on: colour{0x45181a, 52, 0}},
	AddedWord:   {on: colour{0x1f6b3a, 28, 0}, fore: colour{0xffffff, 231, 15}, mark: "4"},
	RemovedWord: {on: colour{0x8c2f33, 88, 0}, fore: colour{0xffffff, 231, 15}, mark: "9"},
	Chosen:      {on: colour{0x2b4a73, 24, 0}, fore: colour{0xffffff, 231, -1}, mark: "7"},
}

var lightGrounds = [Grounds]ground{
	Added:       {on: colour{0xdcf5e2, 194, 0}},
	Removed:     {on: colour{0xfde4e2, 224, 0}},
	AddedWord:   {on: colour{0xa5e3b5, 157, 0}, fore: colour{0x10351c, 22, -1}, mark: "4"},
	RemovedWord: {on: colour{0xf7b6b0, 217, 0}, fore: colour{0x4a0f0c, 52, -1}, mark: "9"},
	Chosen:      {on: colour{0xcfe3fb, 153, 0}, fore: colour{0x0b2545, 17, -1}, mark: "7"},
}
