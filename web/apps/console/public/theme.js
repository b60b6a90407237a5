// The theme this browser remembers, set before anything is drawn: a plain script, since modules come after the first paint.
(function () {
  try {
    var theme = localStorage.getItem("sayso:theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch (_) {
    // Nothing may be kept here: then it is the system's.
  }
})();
