import { withQuery } from "../api.js";
import type { Merged } from "../model.js";
import { useQuery } from "../query.js";
import type { Route } from "../router.js";
import { Loaded, Missing, Title } from "./basic.js";
import { PAGE_SIZE, Search, useList } from "./search.js";
import { Pager, Table } from "./table.js";
import type { Column } from "./table.js";

const EVERY_MS = 5000;

type Member = "topics" | "clients";

/** Page of a list: its rows are in the member with the list's name. */
type Page<R> = Merged & { readonly total: number } & Partial<Record<Member, readonly R[]>>;

/** View of a list of the admin API with search, order and pages, read again every five seconds. */
export function ListView<R>(props: {
  readonly route: Route;
  /** Name of the list in the path and in the response. */
  readonly member: Member;
  readonly title: string;
  readonly placeholder: string;
  readonly empty: string;
  readonly defaultSort: string;
  /** Kinds of entries with their names, the default first. */
  readonly kinds?: readonly (readonly [string, string])[];
  readonly columns: readonly Column<R>[];
  readonly rowKey: (row: R) => string;
}) {
  const { title } = props;
  const list = useList(props.route, props.defaultSort);
  const { search, sort, kind, offset } = list;
  const path = withQuery(`/${props.member}`, { search, sort, kind, offset, limit: PAGE_SIZE });
  const query = useQuery<Page<R>>(path, EVERY_MS);
  return (
    <>
      <Title text={title} />
      <Search
        label={`Search ${props.member}`}
        placeholder={props.placeholder}
        value={search}
        onSearch={(text) => {
          list.change({ search: text });
        }}
      />
      {props.kinds && (
        <Kinds
          of={props.kinds}
          value={kind}
          onKind={(next) => {
            list.change({ kind: next });
          }}
        />
      )}
      <Loaded query={query} feature={`the list of ${props.member}`}>
        {(data) => (
          <>
            <Missing of={data} />
            <Table
              caption={title}
              columns={props.columns}
              rows={data[props.member] ?? []}
              rowKey={props.rowKey}
              sort={sort}
              isBusy={query.isLoading}
              onSort={(order) => {
                list.change({ sort: order });
              }}
              empty={props.empty}
            />
            <Pager
              offset={offset}
              size={PAGE_SIZE}
              total={data.total}
              onOffset={(next) => {
                list.change({ offset: next });
              }}
            />
          </>
        )}
      </Loaded>
    </>
  );
}

function Kinds(props: {
  readonly of: readonly (readonly [string, string])[];
  readonly value: string;
  readonly onKind: (kind: string) => void;
}) {
  return (
    <select
      class="form-select form-select-sm w-auto mb-3"
      aria-label="Entries of the list"
      value={props.value}
      onChange={(event) => {
        props.onKind(event.currentTarget.value);
      }}
    >
      {props.of.map(([kind, name]) => (
        <option key={kind} value={kind}>
          {name}
        </option>
      ))}
    </select>
  );
}
