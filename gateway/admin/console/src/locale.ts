// Imported before all others: uPlot formats numbers by the browser's language when it is loaded, and
// fails if that is no language tag, such as en-US@posix.
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en" });
}

export {};
