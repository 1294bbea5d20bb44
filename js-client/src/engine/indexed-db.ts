/** Returns the result of a request. */
export function toPromise<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => {
      resolve(request.result);
    };
    request.onerror = () => {
      reject(request.error ?? new Error("IndexedDB request failed"));
    };
  });
}

/** Web Locks; undefined in pages without TLS and in older engines. */
export function webLocks(): LockManager | undefined {
  return (globalThis.navigator as Partial<Navigator> | undefined)?.locks;
}

/** Waits for a lock, and returns the function that releases it; without Web Locks it is free. */
export function holdLock(name: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const locks = webLocks();
    if (!locks) {
      resolve(() => undefined);
      return;
    }
    const held = (): Promise<void> =>
      new Promise((release) => {
        resolve(release);
      });
    locks.request(name, {}, held).catch(reject);
  });
}
