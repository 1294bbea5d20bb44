/** Requests to the admin port. The token is sent in a header only, never in an address. */

const TOKEN = "sluice-admin-token";
const EXPIRY = "sluice-admin-token-expiry";
const TIMEOUT_MS = 15_000;

/** Failed request with its HTTP status; 0 if there was no response. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  /** True if this node has no such route. */
  get isMissing(): boolean {
    return this.status === 501 || (this.status === 404 && this.message.startsWith("no such page"));
  }
}

const listeners = new Set<() => void>();

/** Calls a listener when the node requires another token. */
export function onUnauthorized(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Sets the token of the following requests.
 *
 * @param expiresMs expiry of a token of an issuer; an admin token has none
 */
export function setToken(token: string, expiresMs?: number): void {
  clearToken();
  sessionStorage.setItem(TOKEN, token);
  if (expiresMs !== undefined) sessionStorage.setItem(EXPIRY, String(expiresMs));
}

export function clearToken(): void {
  sessionStorage.removeItem(TOKEN);
  sessionStorage.removeItem(EXPIRY);
}

/** Returns the expiry of a token of an issuer; undefined for an admin token. */
export function tokenExpiry(): number | undefined {
  const expiry = sessionStorage.getItem(EXPIRY);
  return expiry === null ? undefined : Number(expiry);
}

export function hasToken(): boolean {
  return sessionStorage.getItem(TOKEN) !== null;
}

/** Returns the address of a path of the admin port, also behind a proxy with a path prefix. */
function address(path: string): string {
  return new URL(`..${path}`, document.baseURI).href;
}

function headers(body: unknown): Headers {
  const sent = new Headers();
  const token = sessionStorage.getItem(TOKEN);
  if (token !== null) sent.set("Authorization", `Bearer ${token}`);
  if (body !== undefined) sent.set("Content-Type", "application/json");
  return sent;
}

/** Sends a request; fails with {@link ApiError} unless the status is 2xx. */
export async function send(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<Response> {
  const options: RequestInit = { method, headers: headers(body), credentials: "omit" };
  if (body !== undefined) options.body = JSON.stringify(body);
  if (signal) options.signal = signal;
  const response = await fetch(address(path), options).catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    throw new ApiError(0, "The node does not respond.");
  });
  if (response.ok) return response;
  if (response.status === 401)
    listeners.forEach((listener) => {
      listener();
    });
  throw new ApiError(response.status, await errorText(response));
}

async function errorText(response: Response): Promise<string> {
  const text = (await response.text()).trim();
  if (!response.headers.get("Content-Type")?.startsWith("application/json")) {
    return text === "" ? `HTTP status ${response.status}` : text;
  }
  const { problems } = JSON.parse(text) as { problems?: string[] };
  return problems ? problems.join("\n") : text;
}

/** Sends a request with a timeout and returns its JSON; undefined if the response is empty. */
export async function request(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<unknown> {
  const limits = [AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])];
  const response = await send(method, path, body, AbortSignal.any(limits));
  const text = await response.text();
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
  return isJson && text !== "" ? JSON.parse(text) : text;
}

/** Returns a path with query parameters; empty values are omitted. */
export function withQuery(path: string, values: Record<string, string | number>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}
