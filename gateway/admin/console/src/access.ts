import { useEffect, useState } from "preact/hooks";
import { ApiError, clearToken, hasToken, onUnauthorized, request, tokenExpiry } from "./api.js";
import type { Logins, OidcClient } from "./model.js";
import { finishLogin, isCallback, renewToken } from "./oidc.js";

/** Share of a token's remaining lifetime, and the longest time, before its expiry. */
const LEAD_SHARE = 0.25;
const LEAD_MS = 120_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

const UNKNOWN: Logins = { required: true, methods: ["token"] };

/** Access of this page to the node, and the way to get it. */
export interface Access {
  readonly state: "checking" | "needed" | "granted";
  readonly logins: Logins;
  /** Reason of the latest refusal; empty if there was none. */
  readonly reason: string;
  /** True if the user is authentic but not an operator. */
  readonly isOtherUserNeeded: boolean;
  /** Checks whether the node admits this page, with its token or without one. */
  readonly check: () => void;
}

type Result = Pick<Access, "state" | "reason" | "isOtherUserNeeded">;

const NEEDED: Result = { state: "needed", reason: "", isOtherUserNeeded: false };
const GRANTED: Result = { state: "granted", reason: "", isOtherUserNeeded: false };

/** Requests the login methods of the node, completes a login, and checks it by a query. */
export function useAccess(): Access {
  const [logins, setLogins] = useState(UNKNOWN);
  const [result, setResult] = useState<Result>({ ...NEEDED, state: "checking" });
  const check = () => {
    void admission().then(setResult);
  };
  useEffect(() => {
    void start(setLogins).then(setResult);
    return onUnauthorized(() => {
      const isExpired = tokenExpiry() !== undefined;
      clearToken();
      setResult({ ...NEEDED, reason: isExpired ? "Your login is no longer valid." : "" });
    });
  }, []);
  return { ...result, logins, check };
}

async function start(onLogins: (logins: Logins) => void): Promise<Result> {
  try {
    const logins = (await request("GET", "/login")) as Logins;
    onLogins(logins);
    if (logins.oidc && isCallback()) await finishLogin(logins.oidc);
    return logins.required && !hasToken() ? NEEDED : await admission();
  } catch (cause) {
    return { ...NEEDED, reason: text(cause) };
  }
}

async function admission(): Promise<Result> {
  const isOfIssuer = tokenExpiry() !== undefined;
  try {
    await request("GET", "/cluster");
    return GRANTED;
  } catch (cause) {
    const isOtherUserNeeded = isOfIssuer && cause instanceof ApiError && cause.status === 403;
    if (isOtherUserNeeded) clearToken();
    return { ...NEEDED, reason: text(cause), isOtherUserNeeded };
  }
}

function text(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/**
 * Renews the token of an issuer before its expiry.
 *
 * @returns whether the token expires soon and cannot be renewed without the user
 */
export function useRenewal(client: OidcClient | undefined, isGranted: boolean): boolean {
  const [isExpiring, setExpiring] = useState(false);
  useEffect(() => {
    let timer: number | undefined;
    const schedule = () => {
      const expiry = tokenExpiry();
      if (!client || !isGranted || expiry === undefined) return;
      const remaining = Math.max(0, expiry - Date.now());
      const wait = remaining - Math.min(LEAD_MS, remaining * LEAD_SHARE);
      timer = window.setTimeout(
        () => {
          void renewToken(client).then((isRenewed) => {
            setExpiring(!isRenewed);
            if (isRenewed) schedule();
          });
        },
        Math.min(wait, MAX_TIMER_MS),
      );
    };
    setExpiring(false);
    schedule();
    return () => {
      window.clearTimeout(timer);
    };
  }, [client, isGranted]);
  return isExpiring;
}
