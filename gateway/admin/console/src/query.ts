import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError, request } from "./api.js";

/** State of a repeated query: its latest result, and the error of the latest attempt. */
export interface Query<T> {
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
  readonly refresh: () => void;
}

interface State<T> {
  readonly path: string;
  readonly data?: T;
  readonly error?: ApiError;
}

/**
 * Queries a path of the admin port, and repeats the query while the page is visible. The next
 * request starts after the response to the previous one, so a slow node gets fewer requests.
 */
export function useQuery<T>(path: string, everyMs: number): Query<T> {
  const [state, setState] = useState<State<T>>({ path });
  const [round, setRound] = useState(0);
  const latest = useRef(path);
  latest.current = path;
  useEffect(() => {
    const repeated = repeat(everyMs, async (signal) => {
      try {
        const data = (await request("GET", path, undefined, signal)) as T;
        if (latest.current === path) setState({ path, data });
      } catch (cause) {
        const error = cause instanceof ApiError ? cause : new ApiError(0, String(cause));
        if (latest.current !== path || signal.aborted) return true;
        setState((old) => (old.path === path ? { ...old, error } : { path, error }));
        return !error.isMissing;
      }
      return true;
    });
    return () => {
      repeated.stop();
    };
  }, [path, everyMs, round]);
  const refresh = useCallback(() => {
    setRound((old) => old + 1);
  }, []);
  const { data, error } = state;
  return { data, error, isLoading: state.path !== path || (!data && !error), refresh };
}

/** Repeats a task with pauses, until it is stopped or the task returns false. */
export function repeat(everyMs: number, task: (signal: AbortSignal) => Promise<boolean>) {
  const aborts = new AbortController();
  let timer: number | undefined;
  const run = () => {
    if (document.hidden) {
      timer = window.setTimeout(run, everyMs);
      return;
    }
    void task(aborts.signal).then((goesOn) => {
      if (goesOn && everyMs > 0 && !aborts.signal.aborted) timer = window.setTimeout(run, everyMs);
    });
  };
  run();
  return {
    stop() {
      aborts.abort();
      window.clearTimeout(timer);
    },
  };
}

/** Returns a value after it has not changed for a moment. */
export function useDebounced<T>(value: T, ms = 250): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => {
      setSettled(value);
    }, ms);
    return () => {
      window.clearTimeout(timer);
    };
  }, [value, ms]);
  return settled;
}
