package shell

import (
	"strings"

	"rein/guard/effect"
)

// libraries are the names that come with an interpreter, or that test runners load all day. What connects, or starts
// programs, is not among them: its name is judged in the program's text.
const libraries = " json yaml set csv date time pp erb digest securerandom fileutils pathname optparse ostruct bigdecimal prime benchmark stringio tempfile uri strscan " +
	"bundler/setup rubygems tsconfig-paths/register ts-node/register ts-node/register/transpile-only ts-node/esm ts-node tsx tsx/esm tsx/cjs dotenv/config esbuild-register source-map-support/register @babel/register " +
	"@swc-node/register @swc-node/register/esm @swc-node/register/esm-register @swc/register esm global-jsdom/register jsdom-global/register should chai/register-expect test_helper spec_helper rails_helper minitest/autorun " +
	"JSON JSON::PP JSON::XS YAML YAML::XS Data::Dumper List::Util Scalar::Util POSIX Encode utf8 strict warnings feature bigint bignum Getopt::Long Storable Cwd constant open " +
	"charnames integer re English Benchmark Carp MIME::Base64 Unicode::Normalize Term::ANSIColor Tie::File FindBin diagnostics autodie "

// Library judges -r NAME, -MName: libraries are part of the installation, other names may be anybody's file.
func (j *judging) Library(sc *scope, v value) {
	name := v.Text
	if i := strings.IndexAny(name, "=( "); i > 0 {
		name = name[:i] // -MPOSIX=floor
	}
	known := v.Plain() && strings.Contains(libraries, " "+name+" ")
	for _, family := range []string{"File::", "Time::", "Text::", "Digest::", "Math::", "Hash::", "List::", "Date"} {
		known = known || v.Plain() && strings.HasPrefix(name, family) && !strings.ContainsAny(name, "/.")
	}
	if !known {
		j.Found(effect.Exec, "loads code by an option: %s", v.Shown())
		j.AnyArg(sc, v)
	}
}

// phpSettings are settings of php that load no code.
const phpSettings = " memory_limit max_execution_time error_reporting display_errors display_startup_errors log_errors xdebug.mode xdebug.start_with_request zend.assertions assert.exception " +
	"date.timezone opcache.enable opcache.enable_cli opcache.jit short_open_tag precision pcov.enabled pcov.directory phar.readonly default_charset html_errors "

// PHPSetting judges -d NAME=VALUE.
func (j *judging) PHPSetting(v value) {
	name, _, _ := v.Cut("=")
	if !name.Plain() || !strings.Contains(phpSettings, " "+name.Text+" ") {
		j.Found(effect.Exec, "changes a setting of the interpreter: %s", v.Shown())
	}
}

// CargoSetting judges --config NAME=VALUE: most settings of cargo name a program, or where code comes from.
func (j *judging) CargoSetting(sc *scope, v value) {
	name, val, ok := v.Cut("=")
	if !ok {
		j.Project(sc, v)
		return
	}
	for _, tame := range []string{"net.", "term.", "profile.", "http.", "build.jobs", "build.incremental", "build.target-dir"} {
		if v.Plain() && strings.HasPrefix(strings.TrimSpace(name.Text), tame) && !strings.ContainsAny(val.Text, "~") {
			return
		}
	}
	j.Found(effect.Exec, "changes a setting of cargo that may run a program: %s", v.Shown())
}
