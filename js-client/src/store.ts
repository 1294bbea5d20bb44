// Entry point @sluice/client/store.
export { indexedDb, type IndexedDbOptions, type IndexedDbStore } from "./store/indexed-db-store.js";
export type { MessageStore } from "./store/message-store.js";
export type { StoredMessage } from "./store/indexed-db-store.js";
