import { invalidArgument } from "./errors.js";
import type { Properties } from "./message.js";
import type { SubscriptionObserver } from "./subscriptions.js";

const PROPERTY_NAME = /^(?!JMS)[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;

/** Throws unless every callback that is there is a function. */
export function checkObserver(observer: SubscriptionObserver): void {
  if (typeof observer !== "object" || (observer as unknown) === null) {
    throw invalidArgument("observer", "a function or an object with onMessage", observer);
  }
  checkFunction("onMessage", observer.onMessage);
  for (const name of ["onGap", "onState", "onError"] as const) {
    if (observer[name] !== undefined) checkFunction(name, observer[name]);
  }
}

/** Throws unless `value` is a function. */
export function checkFunction(name: string, value: unknown): void {
  if (typeof value !== "function") throw invalidArgument(name, "a function", value);
}

/** Throws unless `payload` is something that can be published. */
export function checkPayload(payload: unknown): void {
  if (typeof payload !== "string" && !(payload instanceof Uint8Array)) {
    throw invalidArgument("payload", "a string or a Uint8Array", payload);
  }
}

/** Throws unless the names and values of message properties are such as the broker takes. */
export function checkProperties(properties: Properties | undefined): void {
  if (properties === undefined) return;
  if (typeof properties !== "object" || (properties as unknown) === null) {
    throw invalidArgument("properties", "an object", properties);
  }
  for (const [name, value] of Object.entries(properties)) {
    if (!PROPERTY_NAME.test(name)) {
      throw invalidArgument("property name", "an identifier that does not begin with JMS", name);
    }
    const finite = typeof value !== "number" || Number.isFinite(value);
    if (!["string", "number", "boolean"].includes(typeof value) || !finite) {
      throw invalidArgument(`property ${name}`, "a string, a finite number or a boolean", value);
    }
  }
}
