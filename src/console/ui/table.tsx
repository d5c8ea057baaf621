import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  label: string;
  cell: (row: Row) => ComponentChildren;
  /** True for numbers, which are aligned to the right. */
  number?: boolean;
  /** True if only screen readers get the label, for example above buttons. */
  hidesLabel?: boolean;
}

export interface TableProps<Row> {
  /** Names the table for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Shown instead of the table if there are no rows. */
  empty: ComponentChildren;
}

/**
 * A table. On phones, the style sheet shows each row as a list of labels and values. The property `display` then removes the roles of the
 * elements, so they are stated.
 */
export function Table<Row>({ caption, columns, rows, keyOf, empty }: TableProps<Row>) {
  if (rows.length === 0) return empty;
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: the roles are lost on phones, as described above.
    <table role="table">
      <caption class="visually-hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ label, number, hidesLabel }) => (
            <th key={label} role="columnheader" scope="col" class={number ? 'number' : ''}>
              <span class={hidesLabel ? 'visually-hidden' : ''}>{label}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={keyOf(row)} role="row">
            {columns.map(({ label, number, hidesLabel, cell }) => (
              <td key={label} role="cell" class={number ? 'number' : ''} data-label={hidesLabel ? undefined : label}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
    // biome-ignore-end lint/a11y/noRedundantRoles: the roles are lost on phones, as described above.
  );
}
