package block

import "strings"

// language is what the scanner must know of a language.
type language struct {
	line   []string    // begin a comment that ends with the line
	block  [][2]string // begin and end a comment
	quotes string      // begin and end a string on one line
	long   []string    // begin and end a string on several lines
	words  string      // keywords, between blanks
	fold   bool        // keywords may be written in capitals
	keys   bool        // a string before a colon is a key
	yaml   bool        // a word before a colon is a key
	diff   bool
}

func (l *language) has(w string) bool {
	if l.fold {
		w = strings.ToLower(w)
	}
	return strings.Contains(l.words, " "+w+" ")
}

const constants = " true false nil null None True False undefined NULL iota self this "

func (l *language) constant(w string) bool { return strings.Contains(constants, " "+w+" ") }

var slash = []string{"//"}
var hash = []string{"#"}
var stars = [][2]string{{"/*", "*/"}}

// languages are never changed.
var languages = map[string]language{
	"go":         {line: slash, block: stars, quotes: `"'`, long: []string{"`"}, words: " break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var string int int64 uint8 byte rune bool error any float64 "},
	"javascript": {line: slash, block: stars, quotes: `"'`, long: []string{"`"}, words: " async await break case catch class const continue debugger default delete do else export extends finally for from function get if import in instanceof let new of return set static super switch throw try typeof var void while with yield interface type enum implements private public protected readonly abstract as declare namespace keyof infer is string number boolean any unknown never "},
	"python":     {line: hash, quotes: `"'`, long: []string{`"""`, "'''"}, words: " and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield match case "},
	"rust":       {line: slash, block: stars, quotes: `"`, words: " as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move mut pub ref return static struct super trait type unsafe use where while u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64 bool str String Vec Option Result "},
	"c":          {line: slash, block: stars, quotes: `"'`, words: " auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool class namespace template typename public private protected virtual override new delete try catch throw using constexpr noexcept operator friend explicit include define ifdef ifndef endif "},
	"java":       {line: slash, block: stars, quotes: `"'`, long: []string{`"""`}, words: " abstract assert boolean break byte case catch char class const continue default do double else enum extends final finally float for if implements import instanceof int interface long native new package private protected public record return sealed short static super switch synchronized throw throws transient try var void volatile while yield val fun when object companion data override open internal suspend lateinit by is in namespace using foreach string async await get set params ref out readonly partial where select from "},
	"swift":      {line: slash, block: stars, quotes: `"`, long: []string{`"""`}, words: " actor as associatedtype async await break case catch class continue default defer deinit do else enum extension fallthrough fileprivate for func guard if import in init inout internal is let mutating open operator override private protocol public repeat rethrows return static struct subscript super switch throw throws try typealias var where while "},
	"ruby":       {line: hash, quotes: `"'`, words: " alias and begin break case class def defined do else elsif end ensure for if in module next not or redo retry return super then undef unless until when while yield require attr_accessor attr_reader puts "},
	"php":        {line: []string{"//", "#"}, block: stars, quotes: `"'`, words: " abstract and array as break callable case catch class clone const continue declare default do echo else elseif empty enum extends final finally fn for foreach function global if implements include instanceof interface isset list match namespace new or print private protected public readonly require return static switch throw trait try unset use var while yield "},
	"bash":       {line: hash, quotes: `"'`, words: " if then else elif fi for while until do done case esac in function select time return exit local export readonly declare unset shift break continue eval exec source trap set cd echo "},
	"sql":        {line: []string{"--"}, block: stars, quotes: `'"`, fold: true, words: " select from where insert into values update set delete create table alter drop index view join left right inner outer on as and or not null is in exists between like order by group having limit offset union all distinct case when then else end primary key foreign references default unique constraint begin commit rollback with returning integer text varchar boolean timestamp "},
	"json":       {quotes: `"`, keys: true, line: slash},
	"yaml":       {line: hash, quotes: `"'`, yaml: true},
	"toml":       {line: hash, quotes: `"'`, long: []string{`"""`}},
	"css":        {block: stars, quotes: `"'`, yaml: true, words: " important media import keyframes supports "},
	"html":       {block: [][2]string{{"<!--", "-->"}}, quotes: `"`, words: " html head body div span a p ul ol li table tr td th script style link meta title h1 h2 h3 h4 h5 h6 img input button form label section header footer main nav svg path "},
	"lua":        {line: []string{"--"}, block: [][2]string{{"--[[", "]]"}}, quotes: `"'`, words: " and break do else elseif end for function goto if in local not or repeat return then until while "},
	"make":       {line: hash, quotes: `"'`, words: " ifeq ifneq ifdef ifndef else endif include define endef export PHONY ", yaml: true},
	"docker":     {line: hash, quotes: `"'`, fold: true, words: " from as run cmd label expose env add copy entrypoint volume user workdir arg onbuild stopsignal healthcheck shell "},
	"proto":      {line: slash, block: stars, quotes: `"`, words: " syntax package import option message enum service rpc returns repeated optional oneof map string int32 int64 bool bytes double float uint32 uint64 reserved stream "},
	"zig":        {line: slash, quotes: `"'`, words: " const var fn pub if else while for switch return defer errdefer try catch struct enum union error comptime inline extern export test usingnamespace orelse unreachable u8 u32 u64 usize i32 i64 bool void "},
	"elixir":     {line: hash, quotes: `"'`, long: []string{`"""`}, words: " def defp defmodule do end if else unless case cond with fn when alias import require use in and or not quote unquote raise try after receive "},
	"haskell":    {line: []string{"--"}, block: [][2]string{{"{-", "-}"}}, quotes: `"`, words: " case class data deriving do else if import in infix instance let module newtype of then type where forall "},
	"diff":       {diff: true},
}

// aliases are other names, and the endings of files.
var aliases = map[string]string{
	"golang": "go", "mod": "go", "js": "javascript", "jsx": "javascript", "ts": "javascript", "tsx": "javascript", "typescript": "javascript", "mjs": "javascript", "cjs": "javascript", "vue": "javascript", "svelte": "javascript",
	"py": "python", "pyi": "python", "starlark": "python", "bzl": "python", "rs": "rust", "h": "c", "cc": "c", "cpp": "c", "c++": "c", "hpp": "c", "cxx": "c", "objc": "c", "m": "c", "cu": "c", "glsl": "c",
	"kt": "java", "kts": "java", "kotlin": "java", "scala": "java", "cs": "java", "csharp": "java", "c#": "java", "groovy": "java", "gradle": "java", "dart": "java", "rb": "ruby", "rake": "ruby", "gemfile": "ruby",
	"sh": "bash", "zsh": "bash", "shell": "bash", "console": "bash", "fish": "bash", "ksh": "bash", "jsonc": "json", "json5": "json", "jsonl": "json", "yml": "yaml", "ini": "toml", "conf": "toml", "cfg": "toml", "env": "toml", "properties": "toml", "hcl": "toml", "tf": "toml",
	"scss": "css", "less": "css", "xml": "html", "svg": "html", "htm": "html", "makefile": "make", "mk": "make", "dockerfile": "docker", "containerfile": "docker", "protobuf": "proto", "ex": "elixir", "exs": "elixir", "hs": "haskell", "patch": "diff", "psql": "sql", "sqlite": "sql", "mysql": "sql",
}
