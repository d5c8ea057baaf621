import type { Pages } from '../paging.ts';
import { Button } from './button.tsx';
import { ErrorState, Loading } from './states.tsx';
import { Table, type TableProps } from './table.tsx';

interface PagedTableProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  of: Pages<Row>;
  /** The name of the call, if it costs money. */
  pays?: string;
}

/** A table of the items so far, with a button for the next page. */
export function PagedTable<Row>({ of, pays, ...table }: PagedTableProps<Row>) {
  const { items, hasMore, error, loading, more } = of;
  return (
    <>
      {items === null ? loading && <Loading /> : <Table {...table} rows={items} />}
      {error && <ErrorState error={error} retry={pays ? undefined : more} />}
      {hasMore && (
        <div class="table-footer">
          <Button onClick={more} busy={loading} pays={pays}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}
