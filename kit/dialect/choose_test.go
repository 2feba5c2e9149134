package dialect

import (
	"strings"
	"testing"
)

// names are models as Ollama, Hugging Face, OpenRouter, vLLM, Fireworks and Bedrock name them, by their dialect;
// "" is for those of no family that was trained on a dialect.
const names = `
hermes         qwen2.5:7b qwen2.5-coder:32b-instruct-q4_K_M Qwen/Qwen2.5-72B-Instruct-AWQ qwen/qwen-2.5-72b-instruct:free qwen3:latest Qwen/Qwen3-30B-A3B-Instruct-2507-FP8 qwen3-vl:8b
hermes         hf.co/bartowski/Qwen2.5-7B-Instruct-GGUF:Q4_K_M Qwen_Qwen3-8B-Q4_K_M.gguf qwq:32b Qwen/QwQ-32B @cf/qwen/qwen2.5-coder-32b-instruct qwen3-next:80b HuggingFaceTB/SmolLM3-3B
hermes         XiaomiMiMo/MiMo-VL-7B-RL nous-hermes2-mixtral openhermes:7b-mistral-v2.5-q4_0 llama3-groq-tool-use:8b Groq/Llama-3-Groq-70B-Tool-Use LGAI-EXAONE/EXAONE-4.0-32B cogito:8b
nous           hermes3:8b NousResearch/Hermes-3-Llama-3.1-8B nousresearch/hermes-3-llama-3.1-405b:free NousResearch/Hermes-3-Llama-3.2-3B-GGUF NousResearch/Hermes-4-70B Hermes-2-Pro-Llama-3-8B DeepHermes-3-Mistral-24B-Preview
granite4       granite4:micro-h ibm-granite/granite-4.0-h-small granite4.1:8b
granite3       granite3.3:8b granite3.1-dense:2b ibm-granite/granite-3.3-8b-instruct
granite_20b_fc ibm-granite/granite-20b-functioncalling
bielik         speakleash/Bielik-11B-v3.0-Instruct
qwen3_coder    qwen3-coder:30b Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8 qwen/qwen3-coder:free qwen3-coder-next XiaomiMiMo/MiMo-V2-Flash unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF:UD-Q4_K_XL
qwen3_5        qwen3.5:35b-a3b Qwen/Qwen3.5-397B-A17B qwen/qwen3.6-plus accounts/fireworks/models/qwen3p5-27b qwen3.8:latest
nemotron3      nemotron-3-nano:30b nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16 nvidia/nemotron-3-super-120b-a12b:free
nemotron_v2    nvidia/NVIDIA-Nemotron-Nano-9B-v2 nvidia/nemotron-nano-12b-v2-vl:free nvidia/Llama-3_3-Nemotron-Super-49B-v1_5 nvidia/llama-3.1-nemotron-ultra-253b-v1
harmony        gpt-oss:20b openai/gpt-oss-120b:free gpt-oss:120b-cloud lmstudio-community/gpt-oss-20b-GGUF openai.gpt-oss-120b-1:0 gpt-oss-safeguard:20b
gemma4         gemma4:31b google/gemma-4-31B-it google/gemma-4-26b-a4b-it:free gemma4:e2b
functiongemma  functiongemma google/functiongemma-270m-it
pythonic       llama3.2:3b meta-llama/Llama-3.2-3B-Instruct us.meta.llama3-2-3b-instruct-v1:0 accounts/fireworks/models/llama-v3p2-3b-instruct gemma3:27b google/gemma-3-12b-it gemma3n:e4b
toolace        Team-ACE/ToolACE-2-Llama-3.1-8B Team-ACE/ToolACE-8B
pythonic_llama4 llama4:scout meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8 meta-llama/llama-4-scout
llama3_json    llama3.1:8b meta-llama/Llama-3.3-70B-Instruct llama-3.3-70b-versatile accounts/fireworks/models/llama-v3p1-8b-instruct meta.llama3-1-70b-instruct-v1:0 Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf
glm45          glm-4.6:cloud zai-org/GLM-4.5-Air-FP8 z-ai/glm-4.5-air:free accounts/fireworks/models/glm-4p6
glm47          glm-4.7-flash:latest zai-org/GLM-4.7 z-ai/glm-5 zai-org/GLM-5.1-FP8
glm5_2         zai-org/GLM-5.2
poolside       poolside/laguna-m.1 laguna:xs
deepseek_v3    deepseek-r1:8b deepseek-ai/DeepSeek-R1-Distill-Llama-70B deepseek-ai/DeepSeek-V3-0324 deepseek/deepseek-chat-v3-0324:free cogito-2.1:671b deepseek/deepseek-r1-0528
deepseek_v31   deepseek-v3.1:671b-cloud deepseek-ai/DeepSeek-V3.1-Terminus deepseek/deepseek-chat-v3.1 deepseek-ai/DeepSeek-V3.2-Exp accounts/fireworks/models/deepseek-v3p1
deepseek_v32   deepseek-v3.2:cloud deepseek-ai/DeepSeek-V3.2-Speciale deepseek/deepseek-v3.2
deepseek_v4    deepseek-ai/DeepSeek-V4-Flash deepseek/deepseek-v4-pro
deepseek_v41   deepseek-ai/DeepSeek-V4.1 deepseek/deepseek-v4.1:free
solar_open2    upstage/Solar-Open2-100B
gigachat35     ai-sage/GigaChat3.5-10B-A1.8B
glm53_flash    zai-org/GLM-5.3-Flash
ling3          inclusionAI/Ling-3.0-flash
trinity        arcee-ai/Trinity-Large-Preview arcee-ai/trinity-mini:free
plamo3         pfnet/plamo-3-nict-31b-base
hyperclovax    naver-hyperclovax/HyperCLOVAX-SEED-Think-32B
iquest         IQuestLab/IQuest-Coder-V1-40B-Instruct
k2_horizon     LLM360/K2-Horizon
cwm            facebook/cwm
rwkv           BlinkDL/rwkv7-g1
dots           rednote-hilab/dots.llm1.inst
pangu          FreedomIntelligence/openPangu-Embedded-7B
hy_v4          tencent/Hy4-Preview tencent/Hunyuan-4
kimi_k2        kimi-k2:1t-cloud moonshotai/Kimi-K2-Instruct-0905 moonshotai/kimi-k2-thinking kimi-k2.5:cloud moonshotai/Kimi-Linear-48B-A3B-Instruct
kimi_k3        moonshotai/Kimi-K3
minimax_m1     MiniMaxAI/MiniMax-M1-80k minimax/minimax-m1
minimax_m2     minimax-m2:cloud MiniMaxAI/MiniMax-M2.5 minimax/minimax-m2.1
minimax_m3     minimax/minimax-m3
mistral_v3     mistral:7b mistral-nemo:12b mistralai/Mistral-7B-Instruct-v0.3 mistralai/Mixtral-8x22B-Instruct-v0.1 mistral-small3.1:24b mistral-small:24b mistral-large:123b open-mistral-nemo
mistral_v11    mistral-small3.2:24b mistralai/Mistral-Small-3.2-24B-Instruct-2506 mistralai/mistral-small-3.2-24b-instruct:free
mistral_v13    devstral:24b mistralai/Devstral-Small-2507 devstral-2:123b ministral-3:8b mistralai/Magistral-Small-2509 mistral-large-3:675b-cloud mistralai/mistral-large-2512
lfm2           LiquidAI/LFM2-8B-A1B liquid/lfm2-8b-a1b
lfm2_5         lfm2.5-thinking:1.2b LiquidAI/LFM2.5-1.2B-Instruct-GGUF
olmo3          olmo-3:7b-instruct allenai/Olmo-3-7B-Instruct olmo-3.1:32b
phi4_mini      phi4-mini:3.8b microsoft/Phi-4-mini-instruct
command_r_plus command-r-plus:104b CohereLabs/c4ai-command-r-08-2024 cohere/command-r-plus-08-2024
cohere         command-a:111b CohereLabs/c4ai-command-a-03-2025 command-r7b:7b cohere/command-r7b-12-2024
seed_oss       ByteDance-Seed/Seed-OSS-36B-Instruct
step3p5        stepfun-ai/Step-3.5-Flash stepfun/step-3.5-flash:free
step3          stepfun-ai/step3
hunyuan_a13b   tencent/Hunyuan-A13B-Instruct
hunyuan_v3     tencent/Hy3-preview
hy3            tencent/Hy3 tencent/Hy3-FP8
apertus        swiss-ai/Apertus-8B-Instruct-2509
apriel         ServiceNow-AI/Apriel-1.6-15b-Thinker
xlam           Salesforce/Llama-xLAM-2-8b-fc-r Salesforce/xLAM-2-32b-fc-r
solar          upstage/Solar-Open-100B
jamba          ai21labs/AI21-Jamba-Large-1.7
internlm2      internlm2:7b internlm/internlm2_5-7b-chat internlm/Intern-S1 intern-s1-mini
gigachat3      ai-sage/GigaChat3-10B-A1.8B
functionary_v31 meetkai/functionary-medium-v3.1
functionary_v32 meetkai/functionary-small-v3.2
firefunction   firefunction-v2 fireworks-ai/llama-3-firefunction-v2
minicpm5       openbmb/MiniCPM5-8B
reka           RekaAI/reka-flash-3.1
ernie45        baidu/ERNIE-4.5-21B-A3B-Thinking
longcat        meituan-longcat/LongCat-Flash-Chat
-              claude-sonnet-4-5 gpt-5.2 o4-mini gemini-3-pro grok-4 deepseek-chat deepseek-coder:6.7b gemma2:9b codegemma:7b embeddinggemma llama2:7b codellama tinyllama phi3:mini phi4:14b
-              mistralai/codestral-2508 allenai/Molmo-7B-D-0924 eureka-7b glm-4-9b-chat chatglm3-6b MiniMax-Text-01 solar:10.7b olmo2:13b starcoder2 yi:34b falcon3:10b unknown-7b internlm3-8b aya-expanse kimi-latest kimi-dev-72b
`

func TestWhichDialect(t *testing.T) {
	for line := range strings.Lines(names) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		for _, name := range words[1:] {
			got := "-"
			if d, ok := For(name); ok {
				got = d.Name
			}
			if got != words[0] {
				t.Errorf("%s has dialect %s, want %s", name, got, words[0])
			}
		}
	}
}

// TestModelNamesAreWrittenAsTheyAreCompared keeps rows from naming what no name can hold after it was made familiar.
func TestModelNamesAreWrittenAsTheyAreCompared(t *testing.T) {
	for _, d := range All() {
		for _, part := range d.Models {
			if part != familiar(part) {
				t.Errorf("%s: no name can hold %q", d.Name, part)
			}
		}
		if d.Same != "" && rows()[d.Same] == nil {
			t.Errorf("%s has the forms of %q, which is no dialect", d.Name, d.Same)
		}
	}
}
