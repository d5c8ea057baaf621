import type { AuditEntryView } from '../../../shared/model/audit.ts';
import { useFreePages } from '../../paging.ts';
import { dateAndTime } from '../../ui/format.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';
import { Empty } from '../../ui/states.tsx';

/** The words of an action, such as `Key created` for `key.created`. */
function wordsOf(action: AuditEntryView['action']): string {
  const words = action.replace(/[._]/g, ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

export function Audit() {
  const entries = useFreePages<AuditEntryView>('account/audit', 'audit');
  return (
    <Page
      title="Audit log"
      intro="Changes to keys, connections, webhooks, credit and settings. The entries contain no secrets."
    >
      <Card title="Changes" flush>
        <PagedTable
          of={entries}
          caption="Changes of the account, newest first"
          keyOf={({ id }) => id}
          empty={<Empty title="No changes yet" />}
          columns={[
            { label: 'Time', cell: ({ at }) => <time dateTime={at}>{dateAndTime(at)}</time> },
            { label: 'Change', cell: ({ action }) => <b>{wordsOf(action)}</b> },
            {
              label: 'Subject',
              cell: ({ subject }) => (
                <div>
                  {subject.name}
                  <div class="soft">
                    <code>{subject.id}</code>
                  </div>
                </div>
              ),
            },
            {
              label: 'Details',
              cell: ({ details }) => (
                <div class="soft">
                  {Object.keys(details).length === 0 && 'none'}
                  {Object.entries(details).map(([name, value]) => (
                    <div key={name}>
                      {name}: {value}
                    </div>
                  ))}
                </div>
              ),
            },
            {
              label: 'By',
              cell: ({ by }) =>
                by.key_id === null ? (
                  'the operator'
                ) : (
                  <div>
                    {by.key_name}
                    <div class="soft">
                      <code>{by.key_id}</code>
                    </div>
                  </div>
                ),
            },
          ]}
        />
      </Card>
    </Page>
  );
}
