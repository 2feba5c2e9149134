package temporal

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	sdk "go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/proto"
)

// KeysEnv is the environment variable from which the program reads the keys: see ParseKeys.
const KeysEnv = "REIN_TEMPORAL_KEYS"

// Keys encrypt what Temporal keeps of sessions, with AES-256-GCM. The first one encrypts; all of them decrypt, so that a new key can be put
// first while the old one is still in use. Without keys nothing is encrypted, and what is encrypted cannot be read.
type Keys []Key

// Key is a key with the name that is written beside what it encrypts.
type Key struct {
	ID   string
	aead cipher.AEAD
}

// ParseKeys reads "ID:KEY,ID:KEY…", where KEY is 32 bytes in base64. "" has no keys. Errors do not show keys.
func ParseKeys(text string) (all Keys, err error) {
	for i, one := range strings.Split(text, ",") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		id, encoded, ok := strings.Cut(one, ":")
		key, err := base64.StdEncoding.DecodeString(encoded)
		if !ok || id == "" || err != nil || len(key) != 32 {
			return nil, fmt.Errorf("key %d is not ID:KEY with 32 bytes in base64, as `head -c32 /dev/urandom | base64` prints them", i+1)
		}
		for _, other := range all {
			if other.ID == id {
				return nil, fmt.Errorf("two keys have the id %q", id)
			}
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return nil, err
		}
		aead, err := cipher.NewGCM(block)
		if err != nil {
			return nil, err
		}
		all = append(all, Key{ID: id, aead: aead})
	}
	return all, nil
}

// Options sets what encrypts in the options of a client: arguments, results, and the texts of errors.
func (k Keys) Options(o client.Options) client.Options {
	o.DataConverter = k.Converter()
	o.FailureConverter = k.failures()
	return o
}

func (k Keys) failures() converter.FailureConverter {
	return sdk.NewDefaultFailureConverter(sdk.DefaultFailureConverterOptions{DataConverter: k.Converter(), EncodeCommonAttributes: len(k) > 0})
}

// Converter is the data converter for a client: client.Options.DataConverter.
func (k Keys) Converter() converter.DataConverter {
	return converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), k)
}

const (
	encrypted = "binary/rein-aes-gcm"
	keyField  = "rein-key"
)

// Encode implements converter.PayloadCodec.
func (k Keys) Encode(all []*commonpb.Payload) ([]*commonpb.Payload, error) {
	if len(k) == 0 {
		return all, nil
	}
	out := make([]*commonpb.Payload, len(all))
	for i, p := range all {
		plain, err := proto.Marshal(p)
		if err != nil {
			return nil, err
		}
		nonce := make([]byte, k[0].aead.NonceSize())
		rand.Read(nonce) // never fails: it ends the program instead
		out[i] = &commonpb.Payload{Metadata: map[string][]byte{converter.MetadataEncoding: []byte(encrypted), keyField: []byte(k[0].ID)},
			Data: k[0].aead.Seal(nonce, nonce, plain, []byte(k[0].ID))}
	}
	return out, nil
}

// Decode implements converter.PayloadCodec. What is not encrypted stays as it is where there are no keys, and is refused where there are:
// who cannot encrypt may not pass for a worker.
func (k Keys) Decode(all []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(all))
	for i, p := range all {
		if string(p.GetMetadata()[converter.MetadataEncoding]) != encrypted {
			if len(k) > 0 && p.GetMetadata() != nil {
				return nil, errors.New("a payload is not encrypted, and this process has keys")
			}
			out[i] = p
			continue
		}
		plain, err := k.open(string(p.GetMetadata()[keyField]), p.GetData())
		if err != nil {
			return nil, err
		}
		out[i] = &commonpb.Payload{}
		if err := proto.Unmarshal(plain, out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sealedMark begins what Seal made. No line of a journal begins so, and no other data of a store is taken for it.
const sealedMark = "\x00rein-aes-gcm\x00"

// Seal encrypts what a store keeps, with the first key; without keys it stays as it is. place is what it belongs to, as the session and the name: what is
// sealed cannot be put elsewhere.
func (k Keys) Seal(place string, plain []byte) []byte {
	if len(k) == 0 {
		return plain
	}
	nonce := make([]byte, k[0].aead.NonceSize())
	rand.Read(nonce) // never fails: it ends the program instead
	head := append([]byte(sealedMark+k[0].ID+"\x00"), nonce...)
	return k[0].aead.Seal(head, nonce, plain, []byte(k[0].ID+"\x00"+place))
}

// Unseal gives back what Seal had. What is not sealed stays as it is: it was kept before there were keys.
func (k Keys) Unseal(place string, data []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(data, []byte(sealedMark))
	if !ok {
		return data, nil
	}
	id, sealed, _ := bytes.Cut(rest, []byte{0})
	return k.decrypt(string(id), sealed, string(id)+"\x00"+place)
}

func (k Keys) open(id string, data []byte) ([]byte, error) { return k.decrypt(id, data, id) }

// decrypt decrypts what the key of an id has encrypted; about is the text that was bound to it.
func (k Keys) decrypt(id string, data []byte, about string) ([]byte, error) {
	for _, key := range k {
		if key.ID != id {
			continue
		}
		n := key.aead.NonceSize()
		if len(data) < n {
			return nil, errors.New("what is encrypted is too short")
		}
		plain, err := key.aead.Open(nil, data[:n], data[n:], []byte(about))
		if err != nil {
			return nil, fmt.Errorf("what is encrypted cannot be decrypted with the key %q: it was changed, or it is another key", id)
		}
		return plain, nil
	}
	return nil, fmt.Errorf("there is no key %q: put it behind the new one in %s", id, KeysEnv)
}
