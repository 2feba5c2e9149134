package event

import (
	"reflect"
	"testing"
)

// TestACloneSharesNothing fills each field of an event, so that one that is added later is copied too.
func TestACloneSharesNothing(t *testing.T) {
	var e Event
	fill(reflect.ValueOf(&e).Elem())
	c := e.Clone()
	if !reflect.DeepEqual(e, c) {
		t.Errorf("the copy differs: %+v", c)
	}
	shared(t, "event", reflect.ValueOf(e), reflect.ValueOf(c))
	if empty := (Event{}).Clone(); !reflect.DeepEqual(empty, Event{}) {
		t.Errorf("the copy of nothing is %+v", empty)
	}
}

func shared(t *testing.T, where string, a, b reflect.Value) {
	switch a.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		if a.IsNil() || a.Type().String() == "*time.Location" {
			return
		}
		if a.Pointer() == b.Pointer() {
			t.Errorf("%s is shared", where)
		}
	}
	switch a.Kind() {
	case reflect.Pointer:
		shared(t, where, a.Elem(), b.Elem())
	case reflect.Slice:
		for i := range a.Len() {
			shared(t, where, a.Index(i), b.Index(i))
		}
	case reflect.Struct:
		for i := range a.NumField() {
			shared(t, where+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))
		}
	}
}
