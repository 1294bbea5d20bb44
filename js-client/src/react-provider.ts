import {
  createContext,
  createElement,
  useContext,
  useEffect,
  useMemo,
  type ReactElement,
  type ReactNode,
} from "react";
import type { Client } from "./client-type.js";
import type { Address, ConnectOptions } from "./options.js";
import { OwnedClient } from "./owned-client.js";

/** Properties of {@link SluiceProvider}: a client, or where one is to connect. */
export type SluiceProviderProps = GivenClientProps | OwnedClientProps;

/** A client that the application has made, and closes. */
export interface GivenClientProps {
  /** The client, which the provider does not close. */
  readonly client: Client;
  /** What uses the hooks. */
  readonly children?: ReactNode;
}

/**
 * A client that the provider makes when it is mounted, and closes when it goes. It makes another
 * one when `url` or a plain value among the `options` changes; functions, the credential among
 * them, may be new each time: the latest `token` is asked at the next connection.
 */
export interface OwnedClientProps {
  /** The node's endpoint, such as `wss://example.com/ws`, or several. */
  readonly url: Address;
  /** Those of `connect`. */
  readonly options?: ConnectOptions;
  /** What uses the hooks. */
  readonly children?: ReactNode;
}

const ClientContext = createContext<Client | undefined>(undefined);

/** Gives the hooks of this package their client. */
export function SluiceProvider(props: SluiceProviderProps): ReactElement {
  if (!("client" in props)) return createElement(OwningProvider, props);
  return createElement(ClientContext.Provider, { value: props.client }, props.children);
}

const NO_OPTIONS: ConnectOptions = {};

function OwningProvider({ url, options = NO_OPTIONS, children }: OwnedClientProps): ReactElement {
  const address = JSON.stringify(url);
  const hasToken = options.token !== undefined;
  const values = JSON.stringify({ ...options, token: hasToken });
  // Of the options only their values count; a function is another one at each render.
  const client = useMemo(() => new OwnedClient(url, options), [address, values]);
  useEffect(() => {
    client.renew(options);
  });
  useEffect(() => client.hold(), [client]);
  return createElement(ClientContext.Provider, { value: client }, children);
}

/**
 * The client of the nearest {@link SluiceProvider}.
 *
 * @throws Error if there is none
 */
export function useClient(): Client {
  const client = useContext(ClientContext);
  if (!client) throw new Error("there is no SluiceProvider above this component");
  return client;
}
