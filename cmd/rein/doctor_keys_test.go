package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"rein/app/settings"
)

func TestTheDoctorTellsKeysByName(t *testing.T) {
	environment := map[string]string{
		"ANTHROPIC_AUTH_TOKEN": "secret-1", "OPENAI_API_KEY": "secret-2", "OPENAI_BASE_URL": "http://u:secret-3@127.0.0.1:9/v1", "COMPATIBLE_API_KEY": "secret-4",
	}
	getenv := func(name string) string { return environment[name] }
	got := append(keyFindings(getenv), providerFindings(map[string]settings.Provider{
		"near": {BaseURL: "http://127.0.0.1:1"}, "far": {BaseURL: "https://far.example", KeyEnv: "FAR_KEY"}, "openai": {KeyEnv: "OPENAI_API_KEY"}}, getenv)...)
	want := []finding{
		{"keys", "ANTHROPIC_API_KEY", false, "not set"},
		{"keys", "ANTHROPIC_AUTH_TOKEN", true, "set"},
		{"keys", "OPENAI_API_KEY", true, "set"},
		{"keys", "OPENAI_BASE_URL", true, "http://u:xxxxx@127.0.0.1:9/v1"},
		{"keys", "GEMINI_API_KEY", false, "not set"},
		{"keys", "OPENROUTER_API_KEY", false, "not set"},
		{"keys", "COMPATIBLE_API_KEY", true, "set"},
		{"settings", "provider far", false, "https://far.example key in FAR_KEY: not set"},
		{"settings", "provider near", true, "http://127.0.0.1:1"},
		{"settings", "provider openai", true, "key in OPENAI_API_KEY: set"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
