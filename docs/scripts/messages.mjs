// Generates the page of the protocol's messages from the AsyncAPI document and the golden frames.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { slug } from "../.vitepress/slug.mjs";

/** The generated page. */
export const MESSAGES_PAGE = path("../reference/messages.md");

const MAX_LINE = 90;

/** Maximum number of examples of a message; highlighted code makes pages large. */
const MAX_EXAMPLES = 2;

/** Replaces the generated page. Requires the packages of TypeDoc, which include a YAML parser. */
export function generateMessages() {
  const typedoc = createRequire(path("../../js-client/node_modules/typedoc/package.json"));
  const api = typedoc("yaml").parse(read("../reference/asyncapi.yaml"));
  const golden = Object.entries(JSON.parse(read("../protocol/golden.json")));
  const headings = read("../PROTOCOL.md").matchAll(/^## ((\d+)\. .+)$/gm);
  const sections = new Map([...headings].map(([, heading, number]) => [number, slug(heading)]));
  writeFileSync(MESSAGES_PAGE, page(api, examples(golden), sections));
}

function path(relative) {
  return fileURLToPath(new URL(relative, import.meta.url));
}

function read(relative) {
  return readFileSync(path(relative), "utf8");
}

/** @returns name of a message → code blocks with examples */
function examples(golden) {
  const found = new Map();
  const add = (message, language, code) => {
    const earlier = found.get(message) ?? [];
    if (earlier.length < MAX_EXAMPLES) {
      found.set(message, [...earlier, `\`\`\`${language}\n${code}\n\`\`\``]);
    }
  };
  for (const [section, frames] of golden.filter(([, value]) => Array.isArray(value))) {
    for (const { name, text, json = text, binary } of frames) {
      if (json !== undefined) {
        const frame = JSON.parse(json);
        add(frame.type, "json", json.length > MAX_LINE ? JSON.stringify(frame, null, 2) : json);
      }
      if (binary !== undefined) {
        const message = section.startsWith("client")
          ? "publish-binary"
          : `${section === "deliveries" ? "delivery" : "message"}-binary`;
        const tagged = section === "tagged" ? ", tagged" : "";
        add(message, "text", `${name}${tagged}:\n${binary.replace(/(.{64})(?=.)/g, "$1\n")}`);
      }
    }
  }
  return found;
}

function page(api, found, sections) {
  const operations = Object.entries(api.operations);
  const { messages, schemas, securitySchemes } = api.components;
  const fromClients = senders("receive", "send");
  const fromNodes = senders("send", "receive");
  for (const name of [...Object.keys(messages), ...found.keys()]) {
    if (![...fromClients, ...fromNodes].includes(name)) {
      throw new Error(`docs/reference/asyncapi.yaml: no operation has the message ${name}`);
    }
  }
  const blocks = [
    "# Messages of the protocol",
    `${text(api.info.description)} This page is generated from [asyncapi.yaml](asyncapi.yaml).` +
      " Its examples are from [golden.json](../protocol/golden.json), which has more of them and" +
      " which tests of the node and the SDK use.",
    ...Object.values(api.channels).flatMap(channel),
    "## Operations",
    table(["operation", "sender", "messages", "replies"], operations.map(operation)),
    "## Messages from the client",
    ...fromClients.flatMap(message),
    "## Messages from the node",
    ...fromNodes.flatMap(message),
    "## Types",
    ...Object.entries(schemas).flatMap(schema),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;

  /** Returns the messages of operations with an action, and the replies of the others. */
  function senders(action, other) {
    const sent = operations.flatMap(([, each]) => (each.action === action ? each.messages : []));
    const replies = operations.flatMap(([, each]) => (each.action === other ? answers(each) : []));
    return [...new Set([...sent, ...replies].map(nameOf))];
  }

  /** Links numbers of sections to the specification. */
  function text(description = "") {
    const linked = (all, word, number) =>
      sections.has(number) ? `[${word} ${number}](../PROTOCOL.md#${sections.get(number)})` : all;
    return description
      .trim()
      .replace(/(?<!\/)PROTOCOL\.md/, "[Protocol](../PROTOCOL.md)")
      .replace(/\b([Ss]ection) (\d+)/g, linked);
  }

  function channel({ title, address, description, servers, bindings }) {
    const server = api.servers[nameOf(servers[0])];
    const headers = Object.entries(bindings?.ws?.headers?.properties ?? {});
    const schemes = server.security.map((each) => securitySchemes[nameOf(each)]);
    const rows = [
      ["address", `\`${server.protocol}://${server.host}${address}\`. ${text(server.description)}`],
      ...headers.map(([name, header]) => [`\`${name}\``, text(header.description)]),
      ...schemes.map((each) => [`\`${each.scheme}\``, text(each.description)]),
    ];
    return [`## ${title}`, text(description), table(["property", "value"], rows)];
  }

  function operation([name, each]) {
    const sender = each.action === "receive" ? "client" : "node";
    return [
      `\`${name}\`: ${text(each.summary)}`,
      sender,
      links(each.messages),
      links(answers(each)),
    ];
  }

  function message(name) {
    const { summary, description, payload } = messages[name];
    const replies = operations
      .filter(([, each]) => each.messages.some((sent) => nameOf(sent) === name))
      .flatMap(([, each]) => answers(each));
    return [
      `### ${name} {#${name}}`,
      [summary, text(payload?.description)].filter(Boolean).join(" "),
      replies.length > 0 ? `Replies: ${links(replies)}.` : "",
      text(description),
      ...(payload ? members(payload) : []),
      ...(found.has(name) ? ["Examples:", ...found.get(name)] : []),
    ];
  }

  function schema([name, each]) {
    const heading = `### ${name} {#type-${name.toLowerCase()}}`;
    const content = each.properties ? members(each) : [`Type: ${type(each)}.`];
    return [heading, text(each.description), ...content];
  }

  function members({ properties, required = [], anyOf, if: condition, then, else: otherwise }) {
    const rows = Object.entries(properties).map(([name, member]) => [
      `\`${name}\``,
      type(member),
      required.includes(name) ? "yes" : "",
      text(member.description ?? (member.$ref && schemas[nameOf(member)].description)),
    ]);
    const rules = [];
    if (anyOf) {
      const names = anyOf.flatMap((each) => each.required).map((name) => `\`${name}\``);
      rules.push(`At least one is required: ${names.join(", ")}.`);
    }
    if (condition) {
      const [[name, member]] = Object.entries(condition.properties);
      rules.push(`If \`${name}\` is ${type(member)}: ${rule(then)}.`);
    }
    if (otherwise) rules.push(`Otherwise: ${rule(otherwise)}.`);
    return [table(["member", "type", "required", "meaning"], rows), ...rules];
  }
}

function answers({ reply }) {
  return reply?.messages ?? [];
}

function nameOf({ $ref }) {
  return $ref.split("/").at(-1);
}

function links(list) {
  return list.map((each) => `[\`${nameOf(each)}\`](#${nameOf(each)})`).join(", ");
}

/** Renders a part of a schema that applies under a condition. */
function rule({ required = [], properties = {} }) {
  const names = required.map((name) => `\`${name}\` is required`);
  const types = Object.entries(properties).map(([name, each]) =>
    each === false ? `\`${name}\` is not allowed` : `\`${name}\` (${type(each)})`,
  );
  return [...names, ...types].join(", ");
}

/** Renders a schema in a few words. */
export function type(schema) {
  const { $ref, const: constant, items, properties, additionalProperties } = schema;
  const choice = schema.oneOf ?? schema.anyOf;
  const codes = (values) => values.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  if ($ref) return `[${nameOf(schema)}](#type-${nameOf(schema).toLowerCase()})`;
  if (constant !== undefined) return codes([constant]);
  if (choice) return choice.map(type).join(" or ");
  if (items) return `array of ${type(items)}${bounds(schema)}`;
  if (properties) return `object with ${rule({ properties })}`;
  if (additionalProperties) return `object with values of type ${type(additionalProperties)}`;
  const name = schema.enum ? codes(schema.enum) : [schema.type ?? []].flat().join(" or ");
  return `${name}${bounds(schema)}`.replace(/^, /, "");
}

/** Renders the bounds of a value, such as ", length 1 to 128". */
function bounds(schema) {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema;
  const range = (name, from, to) => {
    const [first, last] = [from, to].map((value) => value?.toLocaleString("en-US"));
    if (from === undefined) return to === undefined ? "" : `, ${name}at most ${last}`;
    return to === undefined ? `, ${name}at least ${first}` : `, ${name}${first} to ${last}`;
  };
  return [
    range("", minimum, maximum),
    range("length ", minLength, maxLength),
    range("elements ", minItems, maxItems),
    pattern === undefined ? "" : `, pattern \`${pattern}\``,
    schema.default === undefined ? "" : `, default \`${JSON.stringify(schema.default)}\``,
  ].join("");
}

export function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) generateMessages();
