/** Returns the subject of a JWT; empty without a credential, undefined for other credentials. */
export function subjectOf(token: string | undefined): string | undefined {
  if (!token) return "";
  try {
    const [, claims = ""] = token.split(".");
    const binary = atob(claims.replace(/-/g, "+").replace(/_/g, "/"));
    const json = new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
    const { sub } = JSON.parse(json) as { readonly sub: unknown };
    return typeof sub === "string" ? sub : undefined;
  } catch {
    return undefined;
  }
}
