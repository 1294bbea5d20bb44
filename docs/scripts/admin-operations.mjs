// Generates the page of the admin API's operations from the OpenAPI document.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { table, type } from "./messages.mjs";

/** The generated page. */
export const ADMIN_OPERATIONS_PAGE = path("../reference/admin-operations.md");

const METHODS = ["get", "post", "put", "delete"];

/** Replaces the generated page. Requires the packages of TypeDoc, which include a YAML parser. */
export function generateAdminOperations() {
  const typedoc = createRequire(path("../../js-client/node_modules/typedoc/package.json"));
  const text = readFileSync(path("../reference/admin-openapi.yaml"), "utf8");
  writeFileSync(ADMIN_OPERATIONS_PAGE, page(typedoc("yaml").parse(text)));
}

function path(relative) {
  return fileURLToPath(new URL(relative, import.meta.url));
}

function page(api) {
  const blocks = [
    "# Operations of the admin API",
    "This page is generated from [admin-openapi.yaml](admin-openapi.yaml), which also has the" +
      " schemas of responses. `HEAD` works as `GET`. [Admin API](../operations/admin.md) has the" +
      " common rules.",
  ];
  for (const { name, description } of api.tags) {
    blocks.push(`## ${name[0].toUpperCase()}${name.slice(1)}`, description);
    for (const [address, item] of Object.entries(api.paths)) {
      for (const method of METHODS.filter((each) => item[each]?.tags[0] === name)) {
        blocks.push(...operation(`${method.toUpperCase()} ${address}`, item, item[method]));
      }
    }
  }
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;

  function operation(name, item, each) {
    const parameters = [...(item.parameters ?? []), ...(each.parameters ?? [])].map(resolved);
    const body = resolved(each.requestBody?.content["application/json"].schema ?? {});
    const members = Object.entries(body.properties ?? {}).map(([key, member]) => [
      `\`${key}\``,
      "body",
      ...cells(resolved(member), member.description),
    ]);
    const rows = parameters.map((parameter) => [
      `\`${parameter.name}\``,
      parameter.in,
      ...cells(resolved(parameter.schema), parameter.description),
    ]);
    const inputs = [...rows, ...members];
    const answers = Object.entries(each.responses).map(([status, response]) => [
      status,
      resolved(response).description,
    ]);
    return [
      `### \`${name}\``,
      [each.summary, each.description, body.description].filter(Boolean).join(" "),
      inputs.length > 0 ? table(["parameter", "in", "type", "meaning"], inputs) : "",
      table(["status", "meaning"], answers),
    ].map((block) => block.replaceAll(/<(?=[a-z/])/gi, "&lt;"));
  }

  function cells(schema, description) {
    const { items } = schema;
    const plain = items ? { ...schema, items: resolved(items) } : schema;
    return [type(plain), (description ?? schema.description ?? "").trim()];
  }

  function resolved(value) {
    if (value.$ref === undefined) return value;
    const names = value.$ref.split("/").slice(1);
    return resolved(names.reduce((tree, name) => tree[name], api));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) generateAdminOperations();
