import { useEffect, useState } from 'preact/hooks';
import type { WebhookTest, WebhookView } from '../../../shared/model/webhook.ts';
import { call, useCalls } from '../../api.ts';
import { navigate, type Params } from '../../router.tsx';
import { actor } from '../../session.ts';
import { ActorField } from '../../ui/actor-field.tsx';
import { Button } from '../../ui/button.tsx';
import { FormDialog, ResultDialog } from '../../ui/dialog.tsx';
import { milliseconds, Time } from '../../ui/format.tsx';
import { Badge, Card, Figure, Figures, Page } from '../../ui/page.tsx';
import { Empty, ErrorState } from '../../ui/states.tsx';
import { toast } from '../../ui/toasts.tsx';
import { Deliveries } from './deliveries.tsx';
import { EditWebhook, NewSecret } from './edit.tsx';
import { forget, known, remember } from './known.ts';
import { numberOfTypes, StateBadge } from './state.tsx';

type Open = 'edit' | 'rotate' | 'delete' | 'validate' | null;

export function WebhookDetail({ params }: { params: Params }) {
  const id = params['id'] ?? '';
  const webhook = known.value.find((candidate) => candidate.id === id);
  const { busy, error, run } = useCalls({ id });
  const [open, setOpen] = useState<Open>(null);
  const [test, setTest] = useState<WebhookTest | null>(null);

  const load = () => run<WebhookView>('webhooks/detail', {}, remember);
  useEffect(() => {
    if (!webhook) void load();
  }, []);

  if (!webhook) {
    return (
      <Page title="Webhook" intro={<code>{id}</code>}>
        {error && <ErrorState error={error} />}
        <Empty title="Not loaded yet">
          <Button onClick={load} busy={busy !== null}>
            Load the webhook
          </Button>
        </Empty>
        <p>
          <a href="/console/webhooks">All webhooks</a>
        </p>
      </Page>
    );
  }
  const { paused } = webhook;
  const pause = () =>
    run<WebhookView>('webhooks/update', { paused: !paused }, (updated) => {
      remember(updated);
      toast(paused ? 'Resumed' : 'Paused');
    });
  return (
    <Page
      title={new URL(webhook.url).host}
      intro={
        <>
          {webhook.url} · <a href="/console/webhooks">All webhooks</a>
        </>
      }
      actions={
        <>
          <Button onClick={load} busy={busy === 'webhooks/detail'}>
            Refresh
          </Button>
          <Button
            look="primary"
            onClick={() => run('webhooks/test', {}, setTest)}
            busy={busy === 'webhooks/test'}
            pays="webhooks/test"
          >
            Send a test event
          </Button>
        </>
      }
    >
      {error && <ErrorState error={error} />}
      <Card
        title="State"
        actions={
          <>
            <Button onClick={() => setOpen('edit')}>Edit</Button>
            <Button onClick={pause} busy={busy === 'webhooks/update'} pays="webhooks/update">
              {paused ? 'Resume' : 'Pause'}
            </Button>
            <Button onClick={() => setOpen('validate')}>Validate</Button>
            <Button onClick={() => setOpen('rotate')}>Rotate secret</Button>
            <Button look="danger" onClick={() => setOpen('delete')}>
              Delete
            </Button>
          </>
        }
      >
        <div class="stack">
          <p>
            <StateBadge of={webhook} /> {webhook.state_reason ?? 'Events are delivered as they happen.'}
          </p>
          {test && <TestResult of={test} />}
          <Figures>
            <Figure label="Events">{numberOfTypes(webhook)}</Figure>
            <Figure label="Messages" note={webhook.has_encryption_code ? undefined : 'no encryption code'}>
              {webhook.has_encryption_code ? 'Yes' : 'No'}
            </Figure>
            <Figure label="Last handshake">
              {webhook.last_validated_at ? <Time at={webhook.last_validated_at} /> : 'none'}
            </Figure>
            <Figure label="Last delivery">
              {webhook.last_delivery_at ? <Time at={webhook.last_delivery_at} /> : 'none'}
            </Figure>
          </Figures>
          {webhook.events && (
            <p class="row badges">
              {webhook.events.map((type) => (
                <Badge key={type}>{type}</Badge>
              ))}
            </p>
          )}
        </div>
      </Card>
      <Deliveries id={id} />
      {open === 'edit' && <EditWebhook of={webhook} onClose={() => setOpen(null)} />}
      {open === 'validate' && <ValidateWebhook id={id} onClose={() => setOpen(null)} />}
      {open === 'rotate' && <RotateSecret id={id} onClose={() => setOpen(null)} />}
      {open === 'delete' && <DeleteWebhook of={webhook} onClose={() => setOpen(null)} />}
    </Page>
  );
}

function TestResult({ of: { delivered, response_code, duration_ms, error } }: { of: WebhookTest }) {
  return (
    <p role="status">
      <Badge tone={delivered ? 'good' : 'bad'}>{delivered ? 'test event delivered' : 'test event failed'}</Badge>{' '}
      {response_code !== null && `The receiver responded with ${response_code} in ${milliseconds(duration_ms)}. `}
      {error}
    </p>
  );
}

interface DialogProps {
  id: string;
  onClose: () => void;
}

function ValidateWebhook({ id, onClose }: DialogProps) {
  const [renews, setRenews] = useState(false);
  const validate = async () => {
    const webhook = await call<WebhookView>('webhooks/validate', { id }, { asActor: renews });
    remember(webhook);
    toast(webhook.valid ? 'The handshake has passed' : 'The handshake has failed', webhook.valid ? 'good' : 'bad');
    onClose();
  };
  return (
    <FormDialog
      title="Run the handshake again"
      submitLabel="Validate"
      pays="webhooks/validate"
      onClose={onClose}
      onSubmit={validate}
    >
      <p>
        The gateway asks the receiver to prove that it knows the secret. Events are delivered if the receiver passes.
      </p>
      <label class="choice">
        <input type="checkbox" checked={renews} onChange={(event) => setRenews(event.currentTarget.checked)} />
        Replace the stored credentials of the platform account
      </label>
      {renews && <ActorField />}
      {renews && !actor.value?.authToken && <p class="hint">Choose an account, or enter its token.</p>}
    </FormDialog>
  );
}

function RotateSecret({ id, onClose }: DialogProps) {
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = async () => {
    setSecret((await call<{ secret: string }>('webhooks/rotate-secret', { id })).secret);
  };
  if (secret !== null) {
    return (
      <ResultDialog key="rotated" title="The new secret" onClose={onClose}>
        <NewSecret text={secret} />
        <p>
          For 24 hours deliveries are signed with both secrets. Validate the webhook after the receiver knows the new
          secret.
        </p>
      </ResultDialog>
    );
  }
  return (
    <FormDialog
      title="Rotate the secret?"
      submitLabel="Make a new secret"
      pays="webhooks/rotate-secret"
      onClose={onClose}
      onSubmit={rotate}
    >
      <p>The gateway makes a new secret and shows it once. The old one still signs deliveries for 24 hours.</p>
    </FormDialog>
  );
}

function DeleteWebhook({ of: { id, url }, onClose }: { of: WebhookView; onClose: () => void }) {
  const remove = async () => {
    await call('webhooks/delete', { id });
    navigate('/console/webhooks');
    forget(id);
    toast('Deleted the webhook');
  };
  return (
    <FormDialog
      title="Delete the webhook?"
      submitLabel="Delete"
      look="danger"
      pays="webhooks/delete"
      onClose={onClose}
      onSubmit={remove}
    >
      <p>{url} gets no more events, and the records of its deliveries are deleted.</p>
    </FormDialog>
  );
}
