import { basename } from "node:path";
import { DECISIONS, title } from "./pages.mjs";

const PLACE = "<!-- decisions -->";

/** markdown-it plugin. Inserts the list of decision records into the page that has a place for it. */
export function decisionList(markdown) {
  markdown.core.ruler.before("normalize", "decision_list", (state) => {
    if (!state.src.includes(PLACE)) return;
    const items = DECISIONS.map((file) => `- [${title(file)}](${basename(file)})`);
    state.src = state.src.replace(PLACE, items.join("\n"));
  });
}
