import type { Properties, PropertyType } from "../index.js";
import { convert, PROPERTY_CONVERSIONS } from "./conversions.js";
import { MessageFormatException, MessageNotWriteableException } from "./exceptions.js";
import {
  inferred,
  received,
  typed,
  type BodyValue,
  type JmsType,
  type TypedValue,
} from "./typed-value.js";

/** Property whose value is the message group. */
export const GROUP = "JMSXGroupID";

/** Property of a message that removes its topic or key. */
export const REMOVED = "JMS_Sluice_Removed";

const NAME = /^(?!JMS)[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;
const RESERVED = /^(null|true|false|not|and|or|between|like|in|is|escape)$/i;
const NUMERIC: readonly string[] = ["byte", "short", "int", "long", "float", "double"];

/** Properties as the SDK publishes them. */
export interface PublishedProperties {
  properties?: Record<string, string | number | boolean>;
  types?: Record<string, PropertyType>;
  group?: string;
}

/** Properties of a message, or of a producer, with their JMS types. */
export class MessageProperties {
  readonly #values = new Map<string, TypedValue>();
  #isReadOnly = false;

  /** Replaces all properties by those of a received message. */
  receive(properties: Properties, group: string | undefined, isRemoval: boolean): void {
    for (const [name, value] of Object.entries(properties)) this.#values.set(name, received(value));
    if (group !== undefined) this.#values.set(GROUP, { type: "String", value: group });
    if (isRemoval) this.#values.set(REMOVED, { type: "boolean", value: true });
    this.#isReadOnly = true;
  }

  /** Returns the names. */
  get names(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** Returns whether there is a property with this name. */
  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** Returns the value as this type. */
  get(name: string, type: JmsType): BodyValue {
    return convert(PROPERTY_CONVERSIONS, `property ${name}`, this.#values.get(name), type);
  }

  /** Returns the value as it is; null if there is none. */
  getObject(name: string): BodyValue {
    return this.#values.get(name)?.value ?? null;
  }

  /** Sets a value of this type. */
  set(name: string, type: JmsType, value: unknown): void {
    this.#put(name, typed(type, `property ${name}`, value));
  }

  /** Sets a value of the type that follows from it. */
  setObject(name: string, value: unknown): void {
    this.#put(name, inferred(`property ${name}`, value));
  }

  /** Removes all properties; they can then be set. */
  clear(): void {
    this.#values.clear();
    this.#isReadOnly = false;
  }

  /** Adds the properties to those of a publish; a later call replaces equal names. */
  addTo(published: PublishedProperties): void {
    for (const [name, { type, value }] of this.#values) {
      if (name === REMOVED || value === null) continue;
      if (name === GROUP) {
        published.group = String(value);
        continue;
      }
      (published.properties ??= {})[name] = value as string | number | boolean;
      if (NUMERIC.includes(type)) (published.types ??= {})[name] = type as PropertyType;
      else delete published.types?.[name];
    }
  }

  #put(name: string, value: TypedValue): void {
    if (this.#isReadOnly) {
      throw new MessageNotWriteableException("the properties of a received message are read-only");
    }
    if (name === GROUP) this.#values.set(name, typed("String", GROUP, value.value));
    else this.#values.set(checkName(name), checkType(name, value));
  }
}

function checkName(name: string): string {
  if (NAME.test(name) && !RESERVED.test(name)) return name;
  const expected = "an identifier that is not reserved and does not begin with JMS";
  throw new MessageFormatException(`the name of a property must be ${expected}, not "${name}"`);
}

function checkType(name: string, value: TypedValue): TypedValue {
  if (value.type !== "byte[]") return value;
  throw new MessageFormatException(`property ${name} must not be bytes`);
}
