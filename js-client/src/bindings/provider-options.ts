import type { ConnectOptions } from "../engine/options.js";

/**
 * Properties of a provider: options, and the user to whom their credential belongs. `identity` is
 * required if `token` is a function, because its results do not show in time that the user has
 * changed.
 */
export type Identified =
  | {
      /** Options of `connect`. */
      readonly options?: FixedOptions | undefined;
      /** User, such as the subject of the credential; empty without one. */
      readonly identity?: string | undefined;
    }
  | {
      /** Options of `connect`. */
      readonly options: ConnectOptions;
      /** User, such as the subject of the credential; empty without one. */
      readonly identity: string;
    };

/** Options with the user to whom the credential belongs; see {@link Identified}. */
export type WithIdentity<Identity = string> =
  | (FixedOptions & {
      /** User, such as the subject of the credential; empty without one. */
      readonly identity?: Identity | undefined;
    })
  | (ConnectOptions & {
      /** User, such as the subject of the credential; empty without one. */
      readonly identity: Identity;
    });

/** Options of `connect` without a function for the credential. */
export type FixedOptions = Omit<ConnectOptions, "token"> & {
  /** Credential of the client. */
  readonly token?: string;
};
