import type { ComponentChildren } from "preact";
import { number } from "../format.js";

/** Column of a table; `sort` is the order that a click on its header requests. */
export interface Column<R> {
  readonly label: string;
  readonly render: (row: R) => ComponentChildren;
  readonly sort?: string;
  readonly isNumber?: boolean;
  readonly isLong?: boolean;
  /** Class that hides the column in narrow windows. */
  readonly hidden?: "sm" | "md" | "lg" | "xl";
}

interface TableProps<R> {
  readonly caption: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly rowKey: (row: R, index: number) => string;
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
  readonly empty?: string;
  /** The rows are those before a change of search, order or page. */
  readonly isBusy?: boolean;
}

/** Table that scrolls within its frame where the window is too narrow. */
export function Table<R>(props: TableProps<R>) {
  const { caption, columns, rows, empty = "There are no entries." } = props;
  return (
    <div
      class="table-responsive border rounded"
      role="region"
      aria-label={caption}
      aria-busy={props.isBusy ?? false}
      tabIndex={0}
    >
      <table class="table table-sm table-hover align-middle console-table">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Header key={column.label} column={column} sort={props.sort} onSort={props.onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={props.rowKey(row, index)}>
              {columns.map((column) => (
                <td key={column.label} class={cellClass(column)}>
                  {column.render(row)}
                </td>
              ))}
            </tr>
          ))}
          {rows.length === 0 && (
            <tr>
              <td colSpan={columns.length} class="text-body-secondary text-wrap">
                {empty}
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

function Header<R>(props: {
  readonly column: Column<R>;
  readonly sort: string | undefined;
  readonly onSort: ((sort: string) => void) | undefined;
}) {
  const { column, onSort } = props;
  const order = column.sort;
  const isSorted = order !== undefined && order === props.sort;
  const direction = order === "since" ? "ascending" : "descending";
  return (
    <th scope="col" class={cellClass(column)} {...(isSorted ? { "aria-sort": direction } : {})}>
      {order !== undefined && onSort ? (
        <button
          type="button"
          class="sort"
          onClick={() => {
            onSort(order);
          }}
        >
          {column.label}
        </button>
      ) : (
        column.label
      )}
    </th>
  );
}

function cellClass<R>(column: Column<R>): string {
  const classes = [];
  if (column.isNumber) classes.push("text-end");
  if (column.isLong) classes.push("long");
  if (column.hidden) classes.push("d-none", `d-${column.hidden}-table-cell`);
  return classes.join(" ");
}

/** Largest offset that the admin API accepts. */
const MAX_OFFSET = 9000;

/** Navigation between pages of a list. */
export function Pager(props: {
  readonly offset: number;
  readonly size: number;
  readonly total: number;
  readonly onOffset: (offset: number) => void;
}) {
  const { offset, size, total, onOffset } = props;
  const last = Math.min(offset + size, total);
  const range = total === 0 ? "0" : `${number(offset + 1)}–${number(last)}`;
  return (
    <nav class="d-flex flex-wrap align-items-center gap-2 mt-2" aria-label="Pages">
      <span class="text-body-secondary me-auto" role="status">
        {range} of {number(total)}
        {last > MAX_OFFSET && last < total && "; search for the others"}
      </span>
      <button
        type="button"
        class="btn btn-sm btn-outline-secondary"
        disabled={offset === 0}
        onClick={() => {
          onOffset(Math.max(0, offset - size));
        }}
      >
        Previous
      </button>
      <button
        type="button"
        class="btn btn-sm btn-outline-secondary"
        disabled={last >= total || last > MAX_OFFSET}
        onClick={() => {
          onOffset(offset + size);
        }}
      >
        Next
      </button>
    </nav>
  );
}
