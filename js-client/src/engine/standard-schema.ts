/**
 * Schema of a payload: any object of Standard Schema v1, for example of Zod, Valibot or ArkType.
 * Its input is the payload as it is sent, its output is the payload that the application receives.
 */
export interface StandardSchema<Output = unknown, Input = unknown> {
  /** Members of the standard. */
  readonly "~standard": {
    /** Version of the standard. */
    readonly version: 1;
    /** Name of the library. */
    readonly vendor: string;
    /** Returns the output or the issues of a value, or a promise of them. */
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    /** Types of the schema, without a value at run time. */
    readonly types?:
      | {
          /** Type of what is sent. */
          readonly input: Input;
          /** Type of what the application receives. */
          readonly output: Output;
        }
      | undefined;
  };
}

/** Result of a validation. */
export type SchemaResult<Output> =
  | {
      /** Output of the schema. */
      readonly value: Output;
      /** Absent. */
      readonly issues?: undefined;
    }
  | {
      /** Reasons for which the value is invalid. */
      readonly issues: readonly SchemaIssue[];
    };

/** Reason for which a payload is invalid. */
export interface SchemaIssue {
  /** Text of the schema's library. */
  readonly message: string;
  /** Keys from the payload to the invalid value; segments may be objects with a `key`. */
  readonly path?: readonly (PropertyKey | SchemaPathSegment)[] | undefined;
}

/** Segment of a {@link SchemaIssue.path} as an object. */
export interface SchemaPathSegment {
  /** Key of the segment. */
  readonly key: PropertyKey;
}

/** Type of the payloads that an application receives with a schema. */
export type OutputOf<Schema extends StandardSchema> = NonNullable<
  Schema["~standard"]["types"]
>["output"];

/** Type of the payloads that an application publishes with a schema. */
export type InputOf<Schema extends StandardSchema> = NonNullable<
  Schema["~standard"]["types"]
>["input"];
