import { useEffect, useState } from "preact/hooks";

export type Theme = "auto" | "light" | "dark";

const KEY = "sluice-console-theme";
const DARK = window.matchMedia("(prefers-color-scheme: dark)");

function stored(): Theme {
  const value = localStorage.getItem(KEY);
  return value === "light" || value === "dark" ? value : "auto";
}

function apply(theme: Theme): void {
  const isDark = theme === "dark" || (theme === "auto" && DARK.matches);
  document.documentElement.dataset.bsTheme = isDark ? "dark" : "light";
}

/** Applies the chosen theme, which is that of the system by default. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(stored);
  useEffect(() => {
    apply(theme);
    localStorage.setItem(KEY, theme);
    const update = () => {
      apply(theme);
    };
    DARK.addEventListener("change", update);
    return () => {
      DARK.removeEventListener("change", update);
    };
  }, [theme]);
  return [theme, setTheme];
}
