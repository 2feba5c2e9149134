// Chooses the colours and the language before the first paint.
(function () {
	var root = document.documentElement, kept = {};
	try {
		kept = JSON.parse(localStorage.getItem("rein.look") || "{}");
	} catch (_) {
		kept = {};
	}
	if (kept.theme === "light" || kept.theme === "dark") root.dataset.theme = kept.theme;
	var chinese = (kept.language || navigator.language || "").toLowerCase().indexOf("zh") === 0;
	root.lang = chinese ? "zh-CN" : "en";
})();
