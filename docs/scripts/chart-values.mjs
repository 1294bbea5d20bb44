// Generates the page of the Helm chart's values from values.yaml and its comments.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** The generated page. */
export const CHART_VALUES_PAGE = path("../reference/chart-values.md");

/** The values. */
export const CHART_VALUES = path("../../helm/sluice/values.yaml");

const HEAD = `# Chart values

Values of the [Helm chart](../../helm/sluice/README.md), with the default in parentheses. This page is
generated from [values.yaml](../../helm/sluice/values.yaml).
[Kubernetes](../operations/kubernetes.md) explains their use.

Unknown keys are rejected (\`values.schema.json\`). Values name secrets and never contain them.
\`config\` is the [configuration](../CONFIGURATION.md) of the node.`;

/** Replaces the generated page. Requires the packages of TypeDoc, which include a YAML parser. */
export function generateChartValues() {
  const typedoc = createRequire(path("../../js-client/node_modules/typedoc/package.json"));
  const text = readFileSync(CHART_VALUES, "utf8");
  const sections = new Map([["General", []]]);
  collect("", typedoc("yaml").parse(text), commentsOf(text), sections);
  const blocks = [...sections].map(([name, lines]) => `## ${name}\n\n${lines.join("\n")}`);
  writeFileSync(CHART_VALUES_PAGE, `${[HEAD, ...blocks].join("\n\n")}\n`);
}

function path(relative) {
  return fileURLToPath(new URL(relative, import.meta.url));
}

/** @returns path of a key → the comment above it */
function commentsOf(text) {
  const comments = new Map();
  const keys = [];
  let comment = [];
  for (const line of text.split("\n")) {
    const [, sentence] = /^ *# (.*)/.exec(line) ?? [];
    if (sentence !== undefined) {
      comment.push(sentence);
      continue;
    }
    const [, indent, key] = /^( *)([A-Za-z]+):/.exec(line) ?? [];
    if (key !== undefined) {
      keys.splice(indent.length / 2, keys.length, key);
      if (comment.length > 0) comments.set(keys.join("."), comment.join(" "));
    }
    comment = [];
  }
  return comments;
}

/** Adds a line for each value. A map with a comment is one value. */
function collect(parent, tree, comments, sections) {
  for (const [key, value] of Object.entries(tree)) {
    const name = `${parent}${key}`;
    const isMap = typeof value === "object" && !Array.isArray(value);
    if (isMap && Object.keys(value).length > 0 && !comments.has(name)) {
      collect(`${name}.`, value, comments, sections);
      continue;
    }
    const [section] = parent === "" ? ["General"] : name.split(".");
    if (!sections.has(section)) sections.set(section, []);
    sections
      .get(section)
      .push(`- \`${name}\` (\`${JSON.stringify(value)}\`): ${comments.get(name) ?? ""}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) generateChartValues();
