package rein

import "embed"

// Documents are the pages for users: docs/NAME.md in English, docs/zh/NAME.md in Chinese, docs/reference/NAME.md and
// docs/zh/reference/NAME.md made of the program. `rein help` shows them. That of the commands is left out: it is what `rein help COMMAND` prints.
//
//go:embed docs/*.md docs/zh/*.md docs/reference/events.md docs/reference/exit_codes.md docs/reference/http.md docs/reference/settings_keys.md
//go:embed docs/zh/reference/events.md docs/zh/reference/exit_codes.md docs/zh/reference/http.md docs/zh/reference/settings_keys.md
var Documents embed.FS
