import { checkFunction, checkOptions } from "../engine/arguments.js";
import type { ConsumeOptions } from "./consumer-types.js";
import { toContent } from "../engine/content.js";
import type { Delivery, DeliveryHandler, RespondOptions } from "./delivery-types.js";
import { SluiceError } from "../engine/errors.js";
import type { PublishPayload } from "../engine/publish-options.js";
import type { RequestHandler, RequestResult, ReplyWithOptions } from "./request-types.js";
import type { PublishHost } from "../engine/publish-queue.js";

// Errors after which the node may accept the reply later.
const TRANSIENT_ERRORS = ["rate-limited", "broker-unavailable"];

/**
 * Returns a handler of deliveries that replies with the results of a handler of requests.
 *
 * A reply that the node cannot accept at the moment is repeated while the request is pending. If it
 * is refused, the request returns to the queue. Without a recipient of the reply, the request counts
 * as processed, and the error is reported.
 */
export function replying(
  { settings: { clock, backoff }, events }: PublishHost,
  handler: RequestHandler<never>,
  { onError = events.report }: ConsumeOptions = {},
): DeliveryHandler {
  checkFunction("handler", handler);
  const wait = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      clock.setTimeout(resolve, ms);
    });
  return async (request) => {
    const result = await handler(request as Delivery<never>);
    if (result === undefined) return;
    const { payload, options } = toReply(result);
    for (let failures = 1; ; failures++) {
      try {
        await request.respond(payload, options);
        return;
      } catch (error) {
        const code = error instanceof SluiceError ? error.code : "";
        if (code === "no-recipient") {
          onError(error as SluiceError);
          return;
        }
        if (!TRANSIENT_ERRORS.includes(code) || request.signal.aborted) throw error;
      }
      await wait(backoff(failures));
    }
  };
}

/** Checks the options of `serve`, which settles the requests itself. */
export function checkServe(options: object = {}): void {
  const hint = "; `serve` acknowledges the requests";
  const known = "credit where payload schema onError onState signal".split(" ");
  checkOptions("serve", options, known, "ack" in options ? hint : "");
}

function toReply(result: NonNullable<RequestResult>): {
  readonly payload: PublishPayload;
  readonly options: RespondOptions;
} {
  const names = typeof result === "object" ? Object.keys(result).sort().join() : "";
  const { payload, options } =
    names === "options,payload"
      ? (result as ReplyWithOptions)
      : { payload: result as PublishPayload, options: {} };
  // Encoded once, as the handler may change the value.
  return { payload: toContent(payload, options) as PublishPayload, options };
}
