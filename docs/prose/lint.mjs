import { extname } from "node:path";
import { TextlintKernel } from "@textlint/kernel";
import markdown from "@textlint/textlint-plugin-markdown";
import { COMMENTS } from "./comments.mjs";
import { RULES } from "./rules.mjs";

const kernel = new TextlintKernel();
const plugins = [
  { pluginId: "markdown", plugin: markdown.default ?? markdown },
  { pluginId: "comments", plugin: COMMENTS },
];

/** @returns the findings in the text of a page or a source file */
export async function lint(filePath, text) {
  const options = { filePath, ext: extname(filePath), plugins, rules: RULES };
  const { messages } = await kernel.lintText(text, options);
  return messages;
}
