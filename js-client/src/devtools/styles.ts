/** Style sheet of the panel. Colors have a contrast of at least 4.5 in both schemes. */
export const STYLES = `
:host { display: block; color-scheme: light dark; }
section {
  --text: #1c2330; --muted: #566072; --back: #fff; --line: #d5dae3; --accent: #0b5cad; --bad: #b3261e;
  box-sizing: border-box; max-width: 100%; padding: 12px; border: 1px solid var(--line);
  border-radius: 8px; background: var(--back); color: var(--text); font: 14px/1.45 system-ui, sans-serif;
}
@media (prefers-color-scheme: dark) {
  section { --text: #e6e9ef; --muted: #a3adbd; --back: #171b22; --line: #3a4250; --accent: #7ab8ff; --bad: #ff8a80; }
}
header { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; }
h2 { margin: 0; font-size: 15px; }
p { margin: 0; color: var(--muted); }
p b { color: var(--text); }
.bad { color: var(--bad); }
button {
  min-height: 32px; padding: 4px 12px; border: 1px solid var(--accent); border-radius: 6px;
  background: none; color: var(--accent); font: inherit; cursor: pointer;
}
button:focus-visible, .scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.scroll { overflow-x: auto; margin-top: 12px; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: start; font-weight: 600; padding-bottom: 4px; }
th, td { padding: 3px 8px 3px 0; border-bottom: 1px solid var(--line); text-align: start; white-space: nowrap; }
th { color: var(--muted); font-weight: 500; }
td.text { white-space: normal; overflow-wrap: anywhere; min-width: 12em; font-family: ui-monospace, monospace; font-size: 12px; }
`;
