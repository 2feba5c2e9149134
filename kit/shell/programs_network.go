package shell

import (
	"strings"
)

// ListensEverywhere is why a server counts as one that contacts the network.
const ListensEverywhere = "listens on all addresses: other machines may reach it where the sandbox has no network of its own"

// listensEverywhere reports whether the arguments make a server listen on all addresses of the machine.
func listensEverywhere(c *call) bool {
	if c.Spec.Name == "python-m:http.server" && !c.Got.Has("--bind", "-b") {
		return true
	}
	for i, v := range c.Argv[1:] {
		name, value, has := strings.Cut(v.Text, "=")
		if !has {
			value = v.Text
		}
		if allAddresses(value) || name == "--host" && !has && (i+2 == len(c.Argv) || strings.HasPrefix(c.Argv[i+2].Text, "-")) {
			return true
		}
	}
	return false
}

// allAddresses reports whether a text is the address, or the URL, of a server on all addresses: 0.0.0.0:80, [::]:80, tcp://0.0.0.0.
func allAddresses(text string) bool {
	if len(text) > 2 && text[0] == '-' && text[1] != '-' { // -b0.0.0.0
		text = text[2:]
	}
	if _, rest, ok := strings.Cut(text, "://"); ok {
		text = rest
	}
	host, port, _ := strings.Cut(plainGlob(text), ":")
	if host == "" && isNumber(port) && strings.HasPrefix(text, ":") { // as Go's programs spell it
		return true
	}
	if host == "0.0.0.0" || host == "*" || host == "+" {
		return strings.Trim(port, "0123456789") == ""
	}
	return text == "::" || strings.HasPrefix(text, "[::]")
}

// isTarget reports whether an option says where a download goes, and that is no output.
func isTarget(program string, o parsedOption) bool {
	name := "-o"
	if program == "wget" {
		name = "-O"
	}
	return (o.Name == name || o.Name == "--output" || o.Name == "--output-document") && o.Value.Text != "-" && o.Value.Plain()
}

// carriesFile reports whether an @ at that place of an option's value names a file.
func carriesFile(option string, at int) bool {
	switch option {
	case "-d", "--data", "--data-binary", "--data-ascii", "--json", "-H", "--header", "--proxy-header", "-w", "--write-out":
		return at == 0
	case "-F", "--form", "--data-urlencode":
		return true
	}
	return false
}

// isMethod reports whether a word is a method of HTTP: POST.
func isMethod(s string) bool {
	return s != "" && strings.ToUpper(s) == s && !strings.ContainsAny(s, "./:")
}

// scopedToolTable returns the packages with a scope, and the programs that they bring.
func scopedTools() map[string]string { return scopedToolTable }

var scopedToolTable = map[string]string{
	"@biomejs/biome": "biome", "@redocly/cli": "redocly", "@openapitools/openapi-generator-cli": "openapi-generator-cli", "@tanstack/router-cli": "tsr", "@angular/cli": "ng",
	"@nestjs/cli": "nest", "@changesets/cli": "changeset", "@commitlint/cli": "commitlint", "@graphql-codegen/cli": "graphql-codegen", "@stoplight/spectral-cli": "spectral",
	"@playwright/test": "playwright", "@microsoft/api-extractor": "api-extractor", "@tailwindcss/cli": "tailwindcss", "@babel/cli": "babel", "@swc/cli": "swc", "@svgr/cli": "svgr",
	"@mermaid-js/mermaid-cli": "mmdc", "@marp-team/marp-cli": "marp", "@ast-grep/cli": "ast-grep", "@arethetypeswrong/cli": "attw", "@lingui/cli": "lingui", "@formatjs/cli": "formatjs",
	"@stencil/core": "stencil", "@web/test-runner": "wtr", "@rspack/cli": "rspack", "@rsbuild/core": "rsbuild", "@ladle/react": "ladle", "@tauri-apps/cli": "tauri", "@11ty/eleventy": "eleventy",
	"@astrojs/check": "astro-check", "@typespec/compiler": "tsp", "@bufbuild/buf": "buf", "@asyncapi/cli": "asyncapi", "@apidevtools/swagger-cli": "swagger-cli", "@napi-rs/cli": "napi",
	"@stryker-mutator/core": "stryker", "@hey-api/openapi-ts": "openapi-ts", "@manypkg/cli": "manypkg", "@vue/cli-service": "vue-cli-service", "@sveltejs/package": "svelte-package",
	"@cucumber/cucumber": "cucumber-js", "@stoplight/prism-cli": "prism", "@electron-forge/cli": "electron-forge", "@ionic/cli": "ionic", "@capacitor/cli": "capacitor", "@diplodoc/cli": "yfm",
}
