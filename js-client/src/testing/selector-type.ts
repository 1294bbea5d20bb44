import type { TestMessage } from "./stored-message.js";

/** Message selector of Jakarta Messaging. */
export interface Selector {
  /** Selector, letter for letter. */
  readonly text: string;
  /** Returns whether the selector is true for a message. */
  matches(message: TestMessage): boolean;
}

/** Returns whether a message belongs to the stream with this selector. */
export function isSelected(selector: Selector | undefined, message: TestMessage): boolean {
  return selector?.matches(message) ?? true;
}
