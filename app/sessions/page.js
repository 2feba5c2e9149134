
(function () {
  "use strict";
  var items = Array.prototype.slice.call(document.querySelectorAll("main > *"));
  var texts = items.map(function (i) { return i.textContent.toLowerCase(); });
  var search = document.getElementById("search"), found = document.getElementById("found"), fold = document.getElementById("fold");
  search.addEventListener("input", function () {
    var words = search.value.toLowerCase().split(/\s+/).filter(Boolean), n = 0;
    items.forEach(function (item, i) {
      var hit = words.length > 0 && words.every(function (w) { return texts[i].indexOf(w) >= 0; });
      item.classList.toggle("hidden", words.length > 0 && !hit);
      item.classList.toggle("hit", hit);
      if (hit) { n++; }
    });
    found.textContent = words.length ? n + " found" : "";
  });
  fold.addEventListener("click", function () {
    var open = fold.textContent.indexOf("Open") === 0;
    document.querySelectorAll("details").forEach(function (d) { d.open = open; });
    fold.textContent = open ? "Fold all calls" : "Open all calls";
  });
  document.getElementById("theme").addEventListener("click", function () {
    var root = document.documentElement, dark = root.classList.contains("dark") || !root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches;
    root.classList.toggle("dark", !dark);
    root.classList.toggle("light", dark);
  });
})();
