package telemetry

// The names of the GenAI semantic conventions. They are constants of our own because the conventions are in development and moved
// out of the Go package semconv.
const (
	operationName = "gen_ai.operation.name"
	providerName  = "gen_ai.provider.name"
	requestModel  = "gen_ai.request.model"
	conversation  = "gen_ai.conversation.id"
	agentName     = "gen_ai.agent.name"
	agentID       = "gen_ai.agent.id"
	agentVersion  = "gen_ai.agent.version"
	toolName      = "gen_ai.tool.name"
	toolCall      = "gen_ai.tool.call.id"
	toolType      = "gen_ai.tool.type"
	toolArguments = "gen_ai.tool.call.arguments"
	toolResult    = "gen_ai.tool.call.result"
	inputMessages = "gen_ai.input.messages"
	outMessages   = "gen_ai.output.messages"
	finishReasons = "gen_ai.response.finish_reasons"
	firstChunk    = "gen_ai.response.time_to_first_chunk"
	inputTokens   = "gen_ai.usage.input_tokens"
	outputTokens  = "gen_ai.usage.output_tokens"
	cacheRead     = "gen_ai.usage.cache_read.input_tokens"
	cacheWrite    = "gen_ai.usage.cache_write.input_tokens"
	reasoning     = "gen_ai.usage.reasoning.output_tokens"
	tokenType     = "gen_ai.token.type"
	errorType     = "error.type"
	mcpMethod     = "mcp.method.name"

	opChat   = "chat"
	opTool   = "execute_tool"
	opAgent  = "invoke_agent"
	kindIn   = 1      // SpanKind INTERNAL
	kindOut  = 3      // SpanKind CLIENT
	mainName = "rein" // name of the agent that is no sub-agent

	scopeName = "rein"
)

// The events of spans; each is a log record too.
const (
	verdictEvent    = "rein.verdict"
	approvalEvent   = "rein.approval"
	requestedEvent  = "rein.approval.requested"
	reviewEvent     = "rein.review"
	hookEvent       = "rein.hook"
	retryEvent      = "rein.retry"
	cacheMissEvent  = "rein.cache_miss"
	compactionEvent = "rein.compaction"
	messageEvent    = "rein.message"
)

// providers are the names of the conventions for those of rein's providers that have another one here.
var providers = map[string]string{
	"gemini": "gcp.gemini", "vertex": "gcp.vertex_ai", "bedrock": "aws.bedrock", "azure": "azure.ai.openai", "mistral": "mistral_ai",
	"xai": "x_ai", "moonshot": "moonshot_ai",
}

// metricDef is one metric: a counter, or a histogram where it has bounds.
type metricDef struct {
	name, unit, help string
	bounds           []float64
}

// The metrics, by their place in metricDefs.
const (
	mTokens = iota
	mInput
	mOutput
	mCacheRead
	mCacheWrite
	mReasoning
	mChat
	mFirstChunk
	mAgent
	mTool
	mCalls
	mVerdicts
	mWait
	mCost
	mRetries
	mMisses
	mCompactions
)

// modelSeconds and workSeconds are the bounds of durations: of requests as the conventions have them, of all else up to an hour.
var (
	modelSeconds = []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
	workSeconds  = []float64{0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1800, 3600}
	tokenBounds  = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
)

var metricDefs = [...]metricDef{
	mTokens:      {"gen_ai.client.token.usage", "{token}", "Tokens of each request to a model.", tokenBounds},
	mInput:       {"gen_ai.client.inference.usage.input_tokens", "{token}", "Input tokens, cached ones included.", nil},
	mOutput:      {"gen_ai.client.inference.usage.output_tokens", "{token}", "Output tokens, thinking included.", nil},
	mCacheRead:   {"gen_ai.client.inference.usage.cache_read.input_tokens", "{token}", "Input tokens that the provider read from its cache.", nil},
	mCacheWrite:  {"gen_ai.client.inference.usage.cache_write.input_tokens", "{token}", "Input tokens that the provider wrote to its cache.", nil},
	mReasoning:   {"gen_ai.client.inference.usage.reasoning.output_tokens", "{token}", "Output tokens that were spent on thinking.", nil},
	mChat:        {"gen_ai.client.operation.duration", "s", "Time of requests to models.", modelSeconds},
	mFirstChunk:  {"gen_ai.client.operation.time_to_first_chunk", "s", "Time to the first piece of an answer.", modelSeconds},
	mAgent:       {"gen_ai.invoke_agent.duration", "s", "Time of a message to an agent, to the end of its answer.", workSeconds},
	mTool:        {"gen_ai.execute_tool.duration", "s", "Time in which tools ran, without approvals.", workSeconds},
	mCalls:       {"rein.calls", "{call}", "Calls by their outcome: ok, failed, denied.", nil},
	mVerdicts:    {"rein.verdicts", "{verdict}", "Verdicts of the guards: allow, ask, deny.", nil},
	mWait:        {"rein.approval.wait", "s", "Time in which calls waited for an approval.", workSeconds},
	mCost:        {"rein.cost", "{USD}", "Price of the requests in US dollars, where it is known.", nil},
	mRetries:     {"rein.retries", "{retry}", "Requests that were sent again.", nil},
	mMisses:      {"rein.cache.misses", "{request}", "Requests that the provider's cache did not have, by the reason.", nil},
	mCompactions: {"rein.compactions", "{compaction}", "Compactions of conversations, by their stage.", nil},
}
