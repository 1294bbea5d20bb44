import { SluiceError } from "./errors.js";

/** Object whose module is loaded by its first use. After a failure the next use loads it again. */
export class Lazy<Value> {
  readonly #name: string;
  readonly #load: () => Promise<Value>;
  #value: Value | undefined;
  #loading: Promise<Value> | undefined;

  /** @param name - Name of the module for the error `not-sent`. */
  constructor(name: string, load: () => Promise<Value>) {
    this.#name = name;
    this.#load = load;
  }

  /** The object; undefined until it is loaded. */
  get value(): Value | undefined {
    return this.#value;
  }

  /** Returns the object, or a promise while it is being loaded. */
  get(): Value | Promise<Value> {
    return this.#value ?? (this.#loading ??= this.#start());
  }

  /** Calls a function with the object: at once if it is loaded, which preserves the order. */
  async use<Result>(call: (value: Value) => Result | Promise<Result>): Promise<Result> {
    return call(this.#value ?? (await this.get()));
  }

  async #start(): Promise<Value> {
    try {
      return (this.#value = await this.#load());
    } catch (cause) {
      this.#loading = undefined;
      throw new SluiceError("not-sent", `cannot load ${this.#name}`, undefined, cause);
    }
  }
}
