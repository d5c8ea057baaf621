import { EventSourceParserStream } from 'eventsource-parser/stream';
import { useEffect, useRef, useState } from 'preact/hooks';
import { send } from '../../api.ts';
import { demo } from '../../page-data.ts';
import { actor } from '../../session.ts';
import { ActorField } from '../../ui/actor-field.tsx';
import { Button, CodeBlock } from '../../ui/button.tsx';
import { EventTypes } from '../../ui/event-types.tsx';
import { dateAndTime } from '../../ui/format.tsx';
import { Badge, Card, Page } from '../../ui/page.tsx';
import { Empty, ErrorState } from '../../ui/states.tsx';

interface Received {
  /** The order of arrival. */
  number: number;
  type: string;
  body: { created_at?: string; reason?: string; [field: string]: unknown };
}

const maxShown = 200;
const endings: Readonly<Record<string, string>> = {
  key_revoked: 'The API key was revoked.',
  key_expired: 'The API key has expired.',
  connection_ended: 'The connection does not work any more.',
  slow_consumer: 'This browser read the events too slowly.',
  unavailable: 'The gateway could not continue the stream.',
};

export function Events() {
  const form = useRef<HTMLFormElement>(null);
  const [received, setReceived] = useState<readonly Received[]>([]);
  const [state, setState] = useState<'closed' | 'opening' | 'open'>('closed');
  const [error, setError] = useState<Error | null>(null);
  const aborter = useRef<AbortController | null>(null);
  useEffect(() => () => aborter.current?.abort(), []);

  const open = async () => {
    const types = new FormData(form.current ?? undefined).getAll('events');
    const own = new AbortController();
    aborter.current = own;
    setState('opening');
    setError(null);
    try {
      const input = { types: types.length > 0 ? types.join(',') : undefined };
      const response = await send('events', input, { asActor: true, signal: own.signal });
      setState('open');
      for await (const { type, body } of eventsOf(response)) {
        if (type === 'error')
          throw new Error(`${endings[body.reason ?? ''] ?? 'The stream has ended.'} Open it again.`);
        setReceived((before) => [{ number: (before[0]?.number ?? 0) + 1, type, body }, ...before].slice(0, maxShown));
      }
      throw new Error('The stream has ended. Open it again.');
    } catch (thrown) {
      if (!own.signal.aborted) setError(thrown as Error);
    } finally {
      // The page may have opened another stream in the meantime.
      if (aborter.current === own) setState('closed');
      own.abort();
    }
  };
  const close = () => aborter.current?.abort();
  return (
    <Page
      title="Live events"
      intro={
        <>
          The activity of an account as it happens. The stream is charged once, when it opens, and never reopens by
          itself.
          {demo && (
            <>
              {' '}
              On the sandbox, <code>postern trigger</code> causes events.
            </>
          )}
        </>
      }
      actions={
        state === 'closed' ? (
          <Button look="primary" onClick={open} disabled={!actor.value?.authToken} pays="events">
            Open the stream
          </Button>
        ) : (
          <Button onClick={close}>Close the stream</Button>
        )
      }
    >
      <Card title="Account and event types">
        <form ref={form} onSubmit={(event) => event.preventDefault()}>
          <fieldset class="stack" disabled={state !== 'closed'}>
            <legend class="visually-hidden">Account and event types</legend>
            <ActorField />
            <EventTypes />
          </fieldset>
        </form>
      </Card>
      {error && <ErrorState error={error} />}
      <Card
        title="Events"
        intro={
          <span role="status">
            {state === 'open' ? 'The stream is open.' : state === 'opening' ? 'Opening…' : 'The stream is closed.'}
          </span>
        }
        flush
        actions={received.length > 0 && <Button onClick={() => setReceived([])}>Clear</Button>}
      >
        {received.length === 0 ? (
          <Empty title={state === 'open' ? 'Waiting for the first event' : 'No events yet'} />
        ) : (
          <ol class="events" aria-label="Events, newest first">
            {received.map(({ number, type, body }) => (
              <li key={number}>
                <details>
                  <summary>
                    <Badge tone={type === 'gap' ? 'warn' : 'neutral'}>{type}</Badge>
                    <span class="summary">{summaryOf(type, body)}</span>
                    {body.created_at && <span class="soft">{dateAndTime(body.created_at)}</span>}
                  </summary>
                  <CodeBlock label="Body" text={JSON.stringify(body, null, 2)} />
                </details>
              </li>
            ))}
          </ol>
        )}
      </Card>
    </Page>
  );
}

async function* eventsOf(response: Response): AsyncGenerator<Omit<Received, 'number'>> {
  if (!response.body) return;
  const reader = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  for (let result = await reader.read(); !result.done; result = await reader.read()) {
    const { event = 'message', data } = result.value;
    yield { type: event, body: JSON.parse(data) };
  }
}

/** Returns the author and the content of an event in a few words. */
function summaryOf(type: string, body: Received['body']): string {
  if (type === 'gap') return 'Events may be missing here.';
  const { text, author_screen_name, actor_screen_names, emoji, undecryptable } = body;
  const who = author_screen_name ?? (Array.isArray(actor_screen_names) ? actor_screen_names.join(', ') : '');
  const what = undecryptable ? `cannot be opened: ${undecryptable}` : (text ?? emoji ?? '');
  return [who, what].filter(Boolean).join(': ');
}
