import { SluiceError } from "./errors.js";
import type { Token } from "./options.js";

/**
 * Returns a currently valid credential; undefined if none is configured.
 *
 * @param report - Receives the error if the token function fails; the promise is then rejected,
 *   too.
 * @param terminate - Receives the error {@link LoggedOut} instead.
 */
export async function requestToken(
  token: Token | undefined,
  report: (error: SluiceError) => void,
  terminate: (error: SluiceError) => void,
): Promise<string | undefined> {
  if (typeof token !== "function") return token;
  try {
    const given: unknown = await token();
    if (typeof given === "string") return given;
    throw new TypeError(`token must return a string, not ${typeof given}`);
  } catch (cause) {
    // The class is not compared: the error may come from another tab.
    const { code } = Object(cause) as Partial<SluiceError>;
    if (code === "logged-out") terminate(cause as SluiceError);
    else report(new SluiceError("no-token", "token failed", undefined, cause));
    throw cause;
  }
}
