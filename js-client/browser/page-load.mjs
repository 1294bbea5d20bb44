// Loads pages although addresses of the machine change. Chromium then aborts all requests, also
// those to a loopback address, with the error below; a failed import remains failed in its page.

const NETWORK_CHANGED = "net::ERR_NETWORK_CHANGED";
const MAX_LOADS = 5;

/**
 * Loads a page; repeats that if a request was aborted because of such a change.
 *
 * @param load - Opens the URL; may then run scripts in the page, and wait for their requests.
 */
export async function loadPage(page, load) {
  let isAborted = false;
  const onFailed = (request) => {
    isAborted ||= request.failure()?.errorText === NETWORK_CHANGED;
  };
  page.on("requestfailed", onFailed);
  try {
    for (let loads = 1; ; loads++) {
      isAborted = false;
      try {
        return await load();
      } catch (error) {
        if (!isAborted || loads === MAX_LOADS) throw error;
      }
    }
  } finally {
    page.off("requestfailed", onFailed);
  }
}
