package bedrock

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// InvokePath is where requests go that speak the own protocol of a model, with a stream as answer (InvokeModelWithResponseStream). Its
// frames hold the events of that protocol; SigningTransport takes them out.
func InvokePath(name string) string { return "/model/" + escaped(name) + invokeSuffix }

const invokeSuffix = "/invoke-with-response-stream"

// InvokeVersion is what requests in the protocol of Anthropic have instead of the name of the model.
const InvokeVersion = "bedrock-2023-05-31"

// invokeFaults are the errors of Bedrock as Anthropic's protocol names them.
var invokeFaults = map[string]string{"throttlingexception": "rate_limit_error", "serviceunavailableexception": "overloaded_error", "modeltimeoutexception": "overloaded_error",
	"validationexception": "invalid_request_error", "accessdeniedexception": "permission_error", "resourcenotfoundexception": "not_found_error"}

// invoked returns the event in a frame of InvokeModelWithResponseStream: its bytes, or what it reports as an error of Anthropic's protocol.
func invoked(kind string, payload []byte) ([]byte, error) {
	if kind != "chunk" {
		var said struct {
			Message string `json:"message"`
		}
		_ = json.Unmarshal(payload, &said) // without a message the kind says enough
		fault := map[string]any{"type": cmp.Or(invokeFaults[strings.ToLower(kind)], "api_error"), "message": cmp.Or(said.Message, kind)}
		return json.Marshal(map[string]any{"type": "error", "error": fault})
	}
	var chunk struct {
		Bytes []byte `json:"bytes"`
	}
	if err := json.Unmarshal(payload, &chunk); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamagedFrame, err)
	}
	return chunk.Bytes, nil
}
