package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"
)

// Fingerprint names a guard and its rules: an approval is bound to it. It is the same in each process for the same rules, and another
// one for others. A guard whose rules are not in its exported fields, or that counts there, says it itself, with a method
// Fingerprint() string. Of any other guard it covers the type, the exported fields, and the guards in these; of a function, where it is in the source.
// What is behind other pointers is not covered.
func Fingerprint(g Guard) string {
	h := sha256.New()
	describe(h, reflect.ValueOf(g), 0)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// fingerprinter is a guard that knows its fingerprint.
type fingerprinter interface{ Fingerprint() string }

// deepest is how many guards, lists and structs within each other count.
const deepest = 10

func describe(w io.Writer, v reflect.Value, depth int) {
	if !v.IsValid() || depth > deepest {
		io.WriteString(w, "-")
		return
	}
	isGuard := v.CanInterface() && v.Type().Implements(reflect.TypeFor[Guard]())
	nothing := (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil()
	fmt.Fprintf(w, "(%s ", v.Type())
	defer io.WriteString(w, ")")
	if isGuard && !nothing {
		if f, ok := reflect.TypeAssert[fingerprinter](v); ok {
			fmt.Fprintf(w, "%q", f.Fingerprint())
			return
		}
	}
	switch v.Kind() {
	case reflect.Func:
		if !v.IsNil() {
			io.WriteString(w, nameOf(v.Pointer()))
		}
	case reflect.Interface:
		describe(w, v.Elem(), depth+1)
	case reflect.Pointer:
		if isGuard {
			describe(w, v.Elem(), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				io.WriteString(w, f.Name)
				describe(w, v.Field(i), depth+1)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			describe(w, v.Index(i), depth+1)
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		for _, key := range keys {
			describe(w, key, depth+1)
			describe(w, v.MapIndex(key), depth+1)
		}
	case reflect.Chan, reflect.UnsafePointer:
	default:
		fmt.Fprintf(w, "%q", fmt.Sprint(v))
	}
}

// nameOf names a function. The compiler names one that a function returns for each place where it is made, so its place in the source counts.
func nameOf(pc uintptr) string {
	f := runtime.FuncForPC(pc)
	file, line := f.FileLine(pc)
	if strings.HasPrefix(file, "<") { // the compiler made it, for a method
		return f.Name()
	}
	return fmt.Sprintf("%s:%d", path.Base(file), line)
}
