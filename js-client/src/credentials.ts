import { SluiceError } from "./errors.js";
import type { Token } from "./options.js";

/**
 * The credential that is good now; undefined if there is none.
 *
 * @param report - Hears why there is none where there should be; then the promise is rejected, too.
 */
export async function askForToken(
  token: Token | undefined,
  report: (error: SluiceError) => void,
): Promise<string | undefined> {
  if (typeof token !== "function") return token;
  try {
    const given: unknown = await token();
    if (typeof given === "string") return given;
    throw new TypeError(`it gave no string but ${typeof given}`);
  } catch (cause) {
    report(new SluiceError("no-token", "the token function failed", undefined, cause));
    throw cause;
  }
}
