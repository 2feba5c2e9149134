package temporal

import (
	"bytes"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"google.golang.org/protobuf/proto"
)

const (
	oldKey = "old:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	newKey = "new:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="
)

func keys(t *testing.T, text string) Keys {
	t.Helper()
	k, err := ParseKeys(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestPayloadsAreEncrypted(t *testing.T) {
	secret := Message{ID: "m", Text: "the password is swordfish"}
	sealed, err := keys(t, oldKey).Converter().ToPayload(secret)
	if err != nil {
		t.Fatal(err)
	}
	if wire, _ := proto.Marshal(sealed); bytes.Contains(wire, []byte("swordfish")) || !bytes.Contains(wire, []byte("old")) {
		t.Errorf("on the wire: %q", wire)
	}
	changed := proto.Clone(sealed).(*commonpb.Payload)
	changed.Data[len(changed.Data)-1] ^= 1
	plain, _ := Keys(nil).Converter().ToPayload(secret)
	for _, row := range []struct {
		rule    string
		keys    string
		payload *commonpb.Payload
		says    string // ""; it is read
	}{
		{"the same key", oldKey, sealed, ""},
		{"a new key before it", newKey + "," + oldKey, sealed, ""},
		{"another key", newKey, sealed, `there is no key "old"`},
		{"another key of the same id", strings.Replace(newKey, "new:", "old:", 1), sealed, "cannot be decrypted"},
		{"no key", "", sealed, `there is no key "old"`},
		{"a changed payload", oldKey, changed, "cannot be decrypted"},
		{"one that is not encrypted", oldKey, plain, "not encrypted"},
		{"one that is not encrypted, without keys", "", plain, ""},
	} {
		var got Message
		err := keys(t, row.keys).Converter().FromPayload(row.payload, &got)
		switch {
		case row.says == "" && (err != nil || got != secret):
			t.Errorf("%s: %v, %v", row.rule, got, err)
		case row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)):
			t.Errorf("%s: %v", row.rule, err)
		}
	}
}

func TestKeysThatAreWrong(t *testing.T) {
	for _, text := range []string{"x", "a:", ":AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "a:c2hvcnQ=", "a:swordfish!", oldKey + "," + oldKey} {
		if _, err := ParseKeys(text); err == nil || strings.Contains(err.Error(), "swordfish") || strings.Contains(err.Error(), "AAEC") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// What a store keeps is read with the key that sealed it, in its own place only. What was kept before there were keys is read with and without.
func TestAStoreIsSealed(t *testing.T) {
	plain := []byte("the password is swordfish")
	sealed := keys(t, oldKey).Seal("s1/7", plain)
	if bytes.Contains(sealed, []byte("swordfish")) {
		t.Errorf("sealed: %q", sealed)
	}
	for _, row := range []struct {
		rule, keys, place string
		data              []byte
		says              string // ""; it is read
	}{
		{"the same key", oldKey, "s1/7", sealed, ""},
		{"a new key before it", newKey + "," + oldKey, "s1/7", sealed, ""},
		{"another key", newKey, "s1/7", sealed, `there is no key "old"`},
		{"no key", "", "s1/7", sealed, `there is no key "old"`},
		{"the place of something else", oldKey, "s1/8", sealed, "cannot be decrypted"},
		{"kept before there were keys", oldKey, "s1/7", plain, ""},
		{"no keys at all", "", "s1/7", keys(t, "").Seal("s1/7", plain), ""},
		{"cut short", oldKey, "s1/7", sealed[:len(sealedMark)+8], "too short"},
	} {
		got, err := keys(t, row.keys).Unseal(row.place, row.data)
		switch {
		case row.says == "" && (err != nil || !bytes.Equal(got, plain)):
			t.Errorf("%s: %q, %v", row.rule, got, err)
		case row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)):
			t.Errorf("%s: %v", row.rule, err)
		}
	}
}
