package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestTheComposeFileOfTheDocuments: its services start in the order that they need, keep what they have, and are open to their machine only.
func TestTheComposeFileOfTheDocuments(t *testing.T) {
	page, err := os.ReadFile("../../docs/scale_deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("no Compose file")
	}
	var file struct {
		Services map[string]struct {
			Image       string
			Restart     string
			Environment map[string]string
			Ports       []string
			Volumes     []string
			DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
			Healthcheck struct{ Test []string }
		}
		Volumes map[string]any
	}
	if err := yaml.Unmarshal(block[1], &file); err != nil {
		t.Fatal(err)
	}
	for name, s := range file.Services {
		if image, tag, _ := strings.Cut(s.Image, ":"); image == "" || tag == "" || s.Restart == "" {
			t.Errorf("%s: image %q, restart %q", name, s.Image, s.Restart)
		}
		for _, port := range s.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s is open to the network at %s", name, port)
			}
		}
		for _, v := range s.Volumes {
			volume, _, _ := strings.Cut(v, ":")
			if _, has := file.Volumes[volume]; !has {
				t.Errorf("%s: there is no volume %q", name, volume)
			}
		}
		for other, how := range s.DependsOn {
			if how.Condition != "service_healthy" || len(file.Services[other].Healthcheck.Test) == 0 {
				t.Errorf("%s waits for %s, which does not say when it is healthy", name, other)
			}
		}
	}
	db, server := file.Services["postgresql"], file.Services["temporal"]
	if len(file.Services) != 2 || server.Environment["POSTGRES_SEEDS"] != "postgresql" || server.Environment["POSTGRES_USER"] != db.Environment["POSTGRES_USER"] ||
		server.Environment["POSTGRES_PWD"] != db.Environment["POSTGRES_PASSWORD"] || db.Environment["POSTGRES_PASSWORD"] == "" {
		t.Errorf("the server does not reach its database: %+v", file.Services)
	}
}
