import { useState } from 'preact/hooks';
import type { CreatedWebhook, WebhookView } from '../../../shared/model/webhook.ts';
import { call } from '../../api.ts';
import { navigate } from '../../router.tsx';
import { actor } from '../../session.ts';
import { ActorField } from '../../ui/actor-field.tsx';
import { Button, Secret } from '../../ui/button.tsx';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';
import { EventTypes } from '../../ui/event-types.tsx';
import { Field } from '../../ui/field.tsx';
import { remember } from './known.ts';

type Events = WebhookView['events'];

/** Creates a webhook, then shows its secret once. */
export function CreateWebhook({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<CreatedWebhook | null>(null);
  const create = async (form: FormData) => {
    const events = eventsOf(form);
    const secret = String(form.get('secret')) || undefined;
    const input = { url: String(form.get('url')).trim(), events: events ?? undefined, secret };
    const webhook = await call<CreatedWebhook>('webhooks/create', input, { asActor: true });
    setCreated(webhook);
    remember({
      ...webhook,
      events,
      has_encryption_code: Boolean(actor.value?.encryptionCode),
      last_validated_at: webhook.valid ? webhook.created_at : null,
      last_delivery_at: null,
      paused: false,
      state: webhook.valid ? 'active' : 'invalid',
      state_reason: webhook.last_error,
    });
  };
  if (created) {
    return (
      <Dialog
        key="created"
        title={created.valid ? 'Webhook created' : 'Webhook created, but not valid'}
        onClose={onClose}
      >
        <div class="stack dialog-body">
          {created.last_error && (
            <p>
              {created.last_error}. No events are delivered until you correct the receiver and validate the webhook.
            </p>
          )}
          <NewSecret text={created.secret} />
        </div>
        <footer>
          <Button onClick={onClose}>Done</Button>
          <Button look="primary" onClick={() => navigate(`/console/webhooks/${encodeURIComponent(created.id)}`)}>
            Show the webhook
          </Button>
        </footer>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title="Create a webhook"
      submitLabel="Create webhook"
      pays="webhooks/create"
      onClose={onClose}
      onSubmit={create}
    >
      <ActorField />
      <Field label="URL" hint="https, or http://localhost for testing. The receiver must pass a handshake at once.">
        <input
          name="url"
          type="url"
          required
          maxLength={200}
          autocomplete="off"
          placeholder="https://hooks.example/postern"
        />
      </Field>
      <EventTypes />
      <Field label="Secret (optional)" hint="16 to 128 characters that sign the deliveries. Generated if empty.">
        <input name="secret" minLength={16} maxLength={128} autocomplete="off" spellcheck={false} />
      </Field>
    </FormDialog>
  );
}

interface EditWebhookProps {
  of: WebhookView;
  onClose: () => void;
}

export function EditWebhook({ of: webhook, onClose }: EditWebhookProps) {
  const save = async (form: FormData) => {
    const url = String(form.get('url')).trim();
    // A new URL makes the webhook invalid until its handshake has passed, so an unchanged one is not sent.
    const input = { id: webhook.id, url: url === webhook.url ? undefined : url, events: eventsOf(form) };
    remember(await call<WebhookView>('webhooks/update', input));
    onClose();
  };
  return (
    <FormDialog title="Edit the webhook" submitLabel="Save" pays="webhooks/update" onClose={onClose} onSubmit={save}>
      <Field label="URL" hint="The handshake with a new URL runs at once. The old URL gets nothing more.">
        <input name="url" type="url" required maxLength={200} autocomplete="off" defaultValue={webhook.url} />
      </Field>
      <EventTypes chosen={webhook.events} />
    </FormDialog>
  );
}

/** Shows a new secret. Only the response to its creation contains it. */
export function NewSecret({ text }: { text: string }) {
  return (
    <>
      <p>Configure the receiver with this secret now. It is not shown again.</p>
      <Secret text={text} label="Copy secret" />
    </>
  );
}

function eventsOf(form: FormData): Events {
  const chosen = form.getAll('events');
  return chosen.length > 0 ? (chosen as NonNullable<Events>) : null;
}
