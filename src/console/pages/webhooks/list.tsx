import { useEffect, useState } from 'preact/hooks';
import type { WebhookView } from '../../../shared/model/webhook.ts';
import { type ApiError, call } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/format.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Empty, ErrorState } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { CreateWebhook } from './edit.tsx';
import { known, listed, remember } from './known.ts';
import { numberOfTypes, StateBadge } from './state.tsx';

interface ListResponse {
  webhooks: WebhookView[];
  next_cursor: string | null;
}

export function Webhooks() {
  const [creates, setCreates] = useState(false);
  const [loading, setLoading] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const load = async (cursor: string | null) => {
    setLoading(true);
    setError(null);
    try {
      const { webhooks, next_cursor } = await call<ListResponse>('account/webhooks', { cursor: cursor ?? undefined });
      // The first page also shows which webhooks were deleted elsewhere.
      if (cursor === null) known.value = webhooks;
      else remember(...webhooks);
      listed.value = { next: next_cursor };
    } catch (thrown) {
      setError(thrown as ApiError);
    } finally {
      setLoading(false);
    }
  };
  useEffect(() => void load(null), []);
  const next = listed.value?.next ?? null;
  return (
    <Page
      title="Webhooks"
      intro="Addresses that get the events of a platform account."
      actions={
        <>
          <Button onClick={() => load(null)} busy={loading}>
            Refresh
          </Button>
          <Button look="primary" onClick={() => setCreates(true)}>
            Create webhook
          </Button>
        </>
      }
    >
      {error && <ErrorState error={error} />}
      <Card title="Webhooks" flush>
        <Table
          caption="Webhooks, newest first"
          rows={known.value}
          keyOf={({ id }) => id}
          empty={
            listed.value ? (
              <Empty title="No webhooks yet">Create one to get events as they happen.</Empty>
            ) : (
              <Empty title="Not loaded yet" />
            )
          }
          columns={[
            {
              label: 'URL',
              cell: ({ id, url }) => (
                <div>
                  <a href={`/console/webhooks/${encodeURIComponent(id)}`}>{url}</a>
                  <div class="soft">
                    <code>{id}</code>
                  </div>
                </div>
              ),
            },
            { label: 'State', cell: (webhook) => <StateBadge of={webhook} /> },
            { label: 'Events', cell: numberOfTypes },
            {
              label: 'Last delivery',
              cell: ({ last_delivery_at }) => (last_delivery_at ? <Time at={last_delivery_at} /> : 'none'),
            },
            { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
          ]}
        />
        {next !== null && (
          <div class="table-footer">
            <Button onClick={() => load(next)} busy={loading}>
              Show more
            </Button>
          </div>
        )}
      </Card>
      {creates && <CreateWebhook onClose={() => setCreates(false)} />}
    </Page>
  );
}
