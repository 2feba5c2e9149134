package providers

import (
	"strings"

	"rein/kit/providers/openai"
	"rein/kit/providers/wire"
	"rein/model"
)

// hosts returns the rows of companies whose servers have chat completions, and Cohere. None is taken without being named, because
// none has a usual model.
func hosts() []Provider {
	thinks := []string{"reasoning_content"}
	row := func(name, base string, f openai.Flavour, keys ...string) Provider {
		return Provider{Name: name, Base: base, Keys: keys, open: openChat(f)}
	}
	return []Provider{
		row("cerebras", "https://api.cerebras.ai/v1", openai.Flavour{Returns: []string{}}, "CEREBRAS_API_KEY"),
		{Name: "cohere", Base: "https://api.cohere.com", Keys: []string{"COHERE_API_KEY", "CO_API_KEY"}, Bases: []string{"CO_API_URL"}, open: openCohere},
		row("deepinfra", "https://api.deepinfra.com/v1/openai", openai.Flavour{Returns: []string{}}, "DEEPINFRA_API_KEY", "DEEPINFRA_TOKEN"),
		row("deepseek", "https://api.deepseek.com/v1", openai.Flavour{Returns: thinks, Switch: true}, "DEEPSEEK_API_KEY"),
		row("fireworks", "https://api.fireworks.ai/inference/v1", openai.Flavour{Returns: thinks}, "FIREWORKS_API_KEY"),
		row("github", "https://models.github.ai/inference", openai.Flavour{Returns: []string{}}, "GITHUB_TOKEN"),
		row("groq", "https://api.groq.com/openai/v1", openai.Flavour{Returns: []string{}}, "GROQ_API_KEY"),
		row("huggingface", "https://router.huggingface.co/v1", openai.Flavour{Returns: []string{}}, "HF_TOKEN"),
		row("mistral", "https://api.mistral.ai/v1", openai.Flavour{Returns: []string{}, NoStreamOptions: true}, "MISTRAL_API_KEY"),
		row("moonshot", "https://api.moonshot.ai/v1", openai.Flavour{Returns: thinks, Switch: true}, "MOONSHOT_API_KEY"),
		row("nvidia", "https://integrate.api.nvidia.com/v1", openai.Flavour{Returns: []string{}}, "NVIDIA_API_KEY"),
		row("qwen", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", openai.Flavour{Returns: thinks}, "DASHSCOPE_API_KEY"),
		row("sambanova", "https://api.sambanova.ai/v1", openai.Flavour{Returns: []string{}}, "SAMBANOVA_API_KEY"),
		row("siliconflow", "https://api.siliconflow.com/v1", openai.Flavour{Returns: thinks}, "SILICONFLOW_API_KEY"),
		row("together", "https://api.together.xyz/v1", openai.Flavour{Returns: []string{}}, "TOGETHER_API_KEY"),
		row("xai", "https://api.x.ai/v1", openai.Flavour{Returns: thinks}, "XAI_API_KEY"),
		row("zai", "https://api.z.ai/api/paas/v4", openai.Flavour{Returns: thinks, Switch: true}, "ZAI_API_KEY", "ZHIPU_API_KEY"),
	}
}

// openCohere uses the own protocol of Cohere, also when the address names a version.
func openCohere(h wire.HTTP, _ string) model.Model {
	h.Base = strings.TrimSuffix(strings.TrimSuffix(h.Base, "/v1"), "/v2")
	return &openai.Cohere{HTTP: h}
}
