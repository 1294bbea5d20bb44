import { Message } from "./message.js";

/** Message with text. */
export class TextMessage extends Message {
  #text: string | null;

  /** Creates a message with this text. */
  constructor(text: string | null = null) {
    super();
    this.#text = text;
  }

  /** Returns the text. A message without text is received with an empty one. */
  getText(): string | null {
    return this.#text;
  }

  /** Sets the text. */
  setText(text: string | null): void {
    this.checkWriteable();
    this.#text = text;
  }

  /** Returns the text. */
  getBody(): string | null {
    return this.#text;
  }

  /** Removes the text. */
  override clearBody(): void {
    super.clearBody();
    this.#text = null;
  }
}
