import type { Client } from "./client-type.js";
import type { Settings } from "./options.js";

/** Returns settings with the optional parts that they request; loads their code. */
export async function extend(client: Client, settings: Settings): Promise<Settings> {
  let extended = settings;
  if (settings.compression) extended = (await import("./compression.js")).accepting(extended);
  if (settings.debug) extended = (await import("./debug.js")).observe(client, extended);
  return extended;
}
