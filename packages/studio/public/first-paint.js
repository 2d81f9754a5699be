// Before the first paint, so that a chosen theme does not flash: the page allows no inline scripts.
try {
  const theme = localStorage.getItem("translogue.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is forbidden: the system's theme it is.
}
