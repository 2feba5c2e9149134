package rein

import "embed"

// Documents are the pages for users: docs/NAME.md in English, docs/zh/NAME.md in Chinese. `rein help` shows them.
//
//go:embed docs/*.md docs/zh/*.md
var Documents embed.FS
