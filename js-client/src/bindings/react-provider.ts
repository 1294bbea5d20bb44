"use client";

import {
  createContext,
  createElement,
  useContext,
  useEffect,
  useMemo,
  type ReactElement,
  type ReactNode,
} from "react";
import type { Client } from "../engine/client-type.js";
import type { Address, ConnectOptions } from "../engine/options.js";
import { OwnedClient } from "./owned-client.js";
import type { Identified } from "./provider-options.js";
import { subjectOf } from "../engine/subject.js";

/** Properties of {@link SluiceProvider}: a client, or the arguments to create one. */
export type SluiceProviderProps = GivenClientProps | OwnedClientProps;

/** Properties with a client that the application creates and closes. */
export interface GivenClientProps {
  /** Client to provide; the provider does not close it. */
  readonly client: Client;
  /** Components that use the hooks. */
  readonly children?: ReactNode;
}

/**
 * Properties of a client that the provider creates on mount and closes on unmount. Another client
 * is created when `url`, `identity` or a plain value in `options` changes; without an `identity`, also
 * for a credential of another subject. Functions, including the credential, may change at each
 * render: the next connection calls the latest `token`. `schemas` are read when the client is
 * created.
 */
export type OwnedClientProps = Identified & {
  /** Endpoint of the node, such as `wss://example.com/ws`, or several. */
  readonly url: Address;
  /** Components that use the hooks. */
  readonly children?: ReactNode;
};

const ClientContext = createContext<Client | undefined>(undefined);

/** Provides the client for the hooks of this package. */
export function SluiceProvider(props: SluiceProviderProps): ReactElement {
  if (!("client" in props)) return createElement(OwningProvider, props);
  return createElement(ClientContext.Provider, { value: props.client }, props.children);
}

const NO_OPTIONS: ConnectOptions = {};

function OwningProvider({ url, identity, children, ...props }: OwnedClientProps): ReactElement {
  const options: ConnectOptions = props.options ?? NO_OPTIONS;
  const address = JSON.stringify(url);
  const { token } = options;
  const user = identity ?? (typeof token === "string" ? (subjectOf(token) ?? token) : undefined);
  const values = JSON.stringify({ ...options, token: typeof token, schemas: undefined, user });
  // Only plain values are compared, as functions differ at each render.
  const client = useMemo(() => new OwnedClient(url, options), [address, values]);
  useEffect(() => {
    client.updateOptions(options);
  });
  useEffect(() => client.retain(), [client]);
  return createElement(ClientContext.Provider, { value: client }, children);
}

/**
 * Returns the client of the nearest {@link SluiceProvider}.
 *
 * @throws Error if there is none
 */
export function useClient(): Client {
  const client = useContext(ClientContext);
  if (!client) throw new Error("useClient requires a SluiceProvider above the component");
  return client;
}
