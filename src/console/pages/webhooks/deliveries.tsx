import { useState } from 'preact/hooks';
import type { AttemptView, DeliveryDetailView, DeliveryView } from '../../../shared/model/webhook.ts';
import { call, useCalls } from '../../api.ts';
import { useFreePages } from '../../paging.ts';
import { Button, CodeBlock } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { count, dateAndTime, milliseconds, Time } from '../../ui/format.tsx';
import { Badge, Card } from '../../ui/page.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';
import { Empty, ErrorState } from '../../ui/states.tsx';
import { toast } from '../../ui/toasts.tsx';

const tones = { waiting: 'neutral', retrying: 'warn', delivered: 'good', given_up: 'bad' } as const;
const words = { waiting: 'waiting', retrying: 'retrying', delivered: 'delivered', given_up: 'given up' } as const;

type Open = { dialog: 'attempts'; delivery: DeliveryDetailView } | { dialog: 'replay' } | null;

/** The deliveries of a webhook. */
export function Deliveries({ id }: { id: string }) {
  const pages = useFreePages<DeliveryView>('webhooks/deliveries', 'deliveries', { id });
  const [shown, setShown] = useState<'all' | 'failed'>('all');
  const [open, setOpen] = useState<Open>(null);
  const { busy, error, run: send } = useCalls({ id });
  const run = (name: string, event_id: string, onDone: (delivery: DeliveryDetailView) => void) =>
    send(name, { event_id }, onDone, `${name} ${event_id}`);
  const isFailed = ({ outcome }: DeliveryView) => outcome === 'retrying' || outcome === 'given_up';
  const items = shown === 'failed' ? (pages.items?.filter(isFailed) ?? null) : pages.items;
  return (
    <Card
      title="Deliveries"
      intro="Each event of the last 24 hours with its last attempt, newest first."
      flush
      actions={
        <>
          <Button onClick={pages.reload} busy={pages.loading}>
            Refresh
          </Button>
          <Button onClick={() => setOpen({ dialog: 'replay' })}>Deliver again…</Button>
        </>
      }
    >
      {error && <ErrorState error={error} />}
      {pages.items !== null && pages.items.length > 0 && (
        <div class="row toolbar inset">
          <Choice
            label="Shown deliveries"
            options={[
              ['all', 'All'],
              ['failed', 'Failed'],
            ]}
            value={shown}
            onChange={setShown}
          />
        </div>
      )}
      <PagedTable
        of={{ ...pages, items }}
        caption="Deliveries, newest first"
        keyOf={({ event_id }) => event_id}
        empty={
          <Empty title={shown === 'failed' ? 'No failed deliveries here' : 'No deliveries in the last 24 hours'} />
        }
        columns={[
          {
            label: 'Event',
            cell: ({ type, event_id }) => (
              <div>
                {type}
                <div class="soft">
                  <code>{event_id}</code>
                </div>
              </div>
            ),
          },
          {
            label: 'Outcome',
            cell: ({ outcome, error, next_attempt_at }) => (
              <div>
                <Badge tone={tones[outcome]}>{words[outcome]}</Badge>
                {error && <div class="soft">{error}</div>}
                {next_attempt_at && (
                  <div class="soft">
                    next attempt <Time at={next_attempt_at} />
                  </div>
                )}
              </div>
            ),
          },
          { label: 'Response', number: true, cell: ({ response_code }) => response_code ?? '–' },
          {
            label: 'Duration',
            number: true,
            cell: ({ duration_ms }) => (duration_ms === null ? '–' : milliseconds(duration_ms)),
          },
          { label: 'Attempts', number: true, cell: ({ attempt }) => attempt },
          { label: 'Last attempt', cell: ({ at }) => (at ? <Time at={at} /> : 'none') },
          {
            label: 'Actions',
            hidesLabel: true,
            cell: ({ event_id }) => (
              <div class="row actions">
                <Button
                  small
                  busy={busy === `webhooks/delivery ${event_id}`}
                  onClick={() =>
                    run('webhooks/delivery', event_id, (delivery) => setOpen({ dialog: 'attempts', delivery }))
                  }
                >
                  Attempts
                </Button>
                <Button
                  small
                  pays="webhooks/resend"
                  busy={busy === `webhooks/resend ${event_id}`}
                  onClick={() => run('webhooks/resend', event_id, () => toast('The event is queued again'))}
                >
                  Resend
                </Button>
              </div>
            ),
          },
        ]}
      />
      {open?.dialog === 'attempts' && <Attempts of={open.delivery} onClose={() => setOpen(null)} />}
      {open?.dialog === 'replay' && <Replay id={id} onClose={() => setOpen(null)} />}
    </Card>
  );
}

function Attempts({ of: { type, event_id, attempts }, onClose }: { of: DeliveryDetailView; onClose: () => void }) {
  return (
    <Dialog title={`Attempts of ${type}`} onClose={onClose}>
      <div class="stack dialog-body">
        <p class="soft">
          <code>{event_id}</code>
        </p>
        {attempts.length === 0 && <Empty title="No attempt yet" />}
        <ol class="stack">
          {[...attempts].reverse().map((attempt) => (
            <li key={`${attempt.at} ${attempt.attempt}`}>
              <Attempt of={attempt} />
            </li>
          ))}
        </ol>
      </div>
    </Dialog>
  );
}

function Attempt({ of: attempt }: { of: AttemptView }) {
  const { outcome, response_code, duration_ms, error, request_headers, response_excerpt } = attempt;
  const headers = Object.entries(request_headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <section class="stack">
      <h3>
        Attempt {attempt.attempt} <Badge tone={outcome === 'delivered' ? 'good' : 'bad'}>{outcome}</Badge>
      </h3>
      <p>
        {dateAndTime(attempt.at)} · {response_code ?? 'no response'} · {milliseconds(duration_ms)}
        {error && ` · ${error}`}
      </p>
      {headers.length > 0 && <CodeBlock label="Request headers" text={headers.join('\n')} />}
      {response_excerpt && <CodeBlock label="Response (beginning)" text={response_excerpt} />}
    </section>
  );
}

interface ReplayProps {
  id: string;
  onClose: () => void;
}

/** Delivers failed events or all events again, from a chosen time on. */
function Replay({ id, onClose }: ReplayProps) {
  const replay = async (form: FormData) => {
    const since = String(form.get('since'));
    const { replayed } = await call<{ replayed: number }>('webhooks/replay', {
      webhook_id: id,
      only: form.get('which') === 'failed' ? 'failed' : undefined,
      since: since ? new Date(since).toISOString() : undefined,
    });
    toast(replayed === 1 ? '1 event is queued again' : `${count(replayed)} events are queued again`);
    onClose();
  };
  return (
    <FormDialog
      title="Deliver events again"
      submitLabel="Deliver again"
      pays="webhooks/replay"
      onClose={onClose}
      onSubmit={replay}
    >
      <fieldset>
        <legend>Events</legend>
        <label class="choice">
          <input type="radio" name="which" value="failed" defaultChecked />
          Failed events
        </label>
        <label class="choice">
          <input type="radio" name="which" value="all" />
          All events
        </label>
      </fieldset>
      <Field label="Since" hint="In your time zone. The last 24 hours if empty.">
        <input name="since" type="datetime-local" />
      </Field>
      <p class="soft">The events keep their ids and bytes. New events do not wait for them.</p>
    </FormDialog>
  );
}
