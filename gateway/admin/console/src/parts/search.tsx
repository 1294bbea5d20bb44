import { useEffect, useRef, useState } from "preact/hooks";
import { useDebounced } from "../query.js";
import { href, replace } from "../router.js";
import type { Route } from "../router.js";

export const PAGE_SIZE = 100;

/** Search, order and page of a list, which are part of the address. */
export interface ListState {
  readonly search: string;
  readonly sort: string;
  /** Kind of the entries; empty for the first one. */
  readonly kind: string;
  readonly offset: number;
  readonly change: (values: {
    search?: string;
    sort?: string;
    kind?: string;
    offset?: number;
  }) => void;
}

/** Returns the state of a list; changes of search, order or kind return to the first page. */
export function useList(route: Route, defaultSort: string): ListState {
  const { path, query } = route;
  const search = query.get("search") ?? "";
  const sort = query.get("sort") ?? defaultSort;
  const kind = query.get("kind") ?? "";
  const offset = Math.max(0, Number(query.get("offset")) || 0);
  return {
    search,
    sort,
    kind,
    offset,
    change: (values) => {
      const next = { search, sort, kind, offset: 0, ...values };
      replace(href(path, next));
    },
  };
}

/** Search field that waits until the operator pauses. */
export function Search(props: {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
}) {
  const { value, onSearch } = props;
  const [text, change] = useState(value);
  const settled = useDebounced(text);
  const latest = useRef(value);
  useEffect(() => {
    if (settled === latest.current) return;
    latest.current = settled;
    onSearch(settled);
  }, [settled]);
  useEffect(() => {
    // A link has changed the search.
    if (value === latest.current) return;
    latest.current = value;
    change(value);
  }, [value]);
  return (
    <input
      type="search"
      class="form-control mb-3"
      aria-label={props.label}
      placeholder={props.placeholder}
      value={text}
      onInput={(event) => {
        change(event.currentTarget.value);
      }}
    />
  );
}
