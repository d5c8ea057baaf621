import { createWebhook } from '../../../actions/webhook/create.ts';
import { deleteWebhook } from '../../../actions/webhook/delete.ts';
import { webhookDetail } from '../../../actions/webhook/detail.ts';
import { replayEvents } from '../../../actions/webhook/replay.ts';
import { rotateWebhookSecret } from '../../../actions/webhook/rotate-secret.ts';
import { testWebhook } from '../../../actions/webhook/test.ts';
import { updateWebhook } from '../../../actions/webhook/update.ts';
import { validateWebhook } from '../../../actions/webhook/validate.ts';
import type { CreatedWebhook, WebhookTest, WebhookView } from '../../../shared/model/webhook.ts';
import { given, oneCall } from './bind.ts';
import { builder } from './builder.ts';
import { EventTypeRef } from './event-type.ts';
import { performs } from './mutation.ts';
import { WebhookRef } from './webhook.ts';

const idAbout = 'Its id.';

/** The webhook that was changed; a call, since most answers do not carry it. */
function webhookOf<Parent extends { id: string }>() {
  return oneCall<Parent, unknown, WebhookView, WebhookView>({
    action: webhookDetail,
    input: ({ id }) => ({ id }),
    read: (found) => found,
  });
}

const CreatePayload = builder.objectRef<CreatedWebhook>('CreateWebhookPayload');
builder.objectType(CreatePayload, {
  description: 'A webhook that was registered.',
  fields: (t) => ({
    id: t.exposeString('id', { description: idAbout }),
    url: t.exposeString('url', { description: 'Where events are sent.' }),
    valid: t.exposeBoolean('valid', { description: 'True where the receiver has passed the CRC handshake.' }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When.' }),
    secret: t.exposeString('secret', { description: 'Signs its deliveries. Shown this once.' }),
    lastError: t.exposeString('last_error', {
      nullable: true,
      description: 'What is wrong with it, such as why the CRC failed.',
    }),
    webhook: t.field({ type: WebhookRef, description: 'The webhook. A call.', ...webhookOf<CreatedWebhook>() }),
  }),
});

const CreateInput = builder.inputType('CreateWebhookInput', {
  description: 'A webhook to register.',
  fields: (t) => ({
    url: t.string({ required: true, description: '`https`, or `http://localhost` for testing.' }),
    events: t.field({ type: [EventTypeRef], description: 'Types to deliver; all if left out.' }),
    secret: t.string({ description: '16 to 128 characters; made and shown once if left out.' }),
  }),
});

builder.mutationField('createWebhook', (t) =>
  t.field({
    type: CreatePayload,
    description: "Deliver the actor's activity to an address; with `x-encryption-code`, messages too. A call.",
    args: { input: t.arg({ type: CreateInput, required: true, description: 'What to register.' }) },
    ...performs<typeof CreateInput.$inferInput, CreatedWebhook>(createWebhook, (input) => given(input)),
  }),
);

const UpdateInput = builder.inputType('UpdateWebhookInput', {
  description: 'What to change of a webhook.',
  fields: (t) => ({
    webhookId: t.string({ required: true, description: idAbout }),
    url: t.string({ description: 'Not valid until its CRC has passed, which is tried at once.' }),
    events: t.field({ type: [EventTypeRef], description: 'Types to deliver; null for all.' }),
  }),
});

const WebhookPayload = builder.objectRef<WebhookView>('WebhookPayload');
builder.objectType(WebhookPayload, {
  description: 'A webhook that was changed or checked.',
  fields: (t) => ({
    webhook: t.field({
      type: WebhookRef,
      nullable: true,
      description: 'The webhook, as it is now.',
      resolve: (found) => found,
    }),
  }),
});

const WebhookInput = builder.inputType('WebhookInput', {
  description: 'Which webhook.',
  fields: (t) => ({ webhookId: t.string({ required: true, description: idAbout }) }),
});
const byId = ({ webhookId }: { webhookId: string }) => ({ id: webhookId });

builder.mutationFields((t) => ({
  updateWebhook: t.field({
    type: WebhookPayload,
    description: 'Change the address or the types of a webhook. A call.',
    args: { input: t.arg({ type: UpdateInput, required: true, description: 'What to change.' }) },
    ...performs<typeof UpdateInput.$inferInput, WebhookView>(updateWebhook, ({ webhookId, url, events }) => ({
      id: webhookId,
      ...given({ url }),
      ...(events !== undefined && { events }),
    })),
  }),
  validateWebhook: t.field({
    type: WebhookPayload,
    description: 'Run the CRC handshake again; with `x-auth-token`, poll as that actor from now on. A call.',
    args: { input: t.arg({ type: WebhookInput, required: true, description: 'Which webhook.' }) },
    ...performs<{ webhookId: string }, WebhookView>(validateWebhook, byId),
  }),
}));

const DeletePayload = builder.objectRef<{ id: string; deleted: true }>('DeleteWebhookPayload');
builder.objectType(DeletePayload, {
  description: 'A webhook that was deleted.',
  fields: (t) => ({
    webhookId: t.exposeString('id', { description: idAbout }),
    deleted: t.exposeBoolean('deleted', { description: 'Always true: what fails is an error.' }),
  }),
});

const TestPayload = builder.objectRef<WebhookTest>('TestWebhookPayload');
builder.objectType(TestPayload, {
  description: 'How a test event went.',
  fields: (t) => ({
    delivered: t.exposeBoolean('delivered', { description: 'True where the receiver answered 2xx.' }),
    responseCode: t.exposeInt('response_code', { nullable: true, description: 'Status of its answer.' }),
    durationMs: t.exposeInt('duration_ms', { description: 'Milliseconds until it answered.' }),
    error: t.exposeString('error', { nullable: true, description: 'Why it was not delivered.' }),
  }),
});

const RotatePayload = builder.objectRef<{ id: string; secret: string }>('RotateWebhookSecretPayload');
builder.objectType(RotatePayload, {
  description: 'A new secret.',
  fields: (t) => ({
    webhookId: t.exposeString('id', { description: idAbout }),
    secret: t.exposeString('secret', { description: 'The new one. Shown this once.' }),
    webhook: t.field({ type: WebhookRef, description: 'The webhook. A call.', ...webhookOf<{ id: string }>() }),
  }),
});

const ReplayRow = builder.objectRef<{ id: string; replayed: number }>('ReplayedWebhook');
builder.objectType(ReplayRow, {
  description: 'Events that were queued again for one webhook.',
  fields: (t) => ({
    webhookId: t.exposeString('id', { description: idAbout }),
    replayed: t.exposeInt('replayed', { description: 'How many.' }),
  }),
});

const ReplayPayload = builder.objectRef<{ replayed: number; webhooks: { id: string; replayed: number }[] }>(
  'ReplayWebhookEventsPayload',
);
builder.objectType(ReplayPayload, {
  description: 'Events that were queued again.',
  fields: (t) => ({
    replayed: t.exposeInt('replayed', { description: 'How many, over all webhooks.' }),
    webhooks: t.field({ type: [ReplayRow], description: 'The same for each.', resolve: ({ webhooks }) => webhooks }),
  }),
});

const ReplayInput = builder.inputType('ReplayWebhookEventsInput', {
  description: 'What to deliver again.',
  fields: (t) => ({
    webhookId: t.string({ description: 'To this webhook alone; to all that are valid if left out.' }),
  }),
});

builder.mutationFields((t) => ({
  deleteWebhook: t.field({
    type: DeletePayload,
    description: 'Deliver no more. A call.',
    args: { input: t.arg({ type: WebhookInput, required: true, description: 'Which webhook.' }) },
    ...performs<{ webhookId: string }, { id: string; deleted: true }>(deleteWebhook, byId),
  }),
  testWebhook: t.field({
    type: TestPayload,
    description: 'Send a signed `webhook.test` event now. A call.',
    args: { input: t.arg({ type: WebhookInput, required: true, description: 'Which webhook.' }) },
    ...performs<{ webhookId: string }, WebhookTest>(testWebhook, byId),
  }),
  rotateWebhookSecret: t.field({
    type: RotatePayload,
    description: 'Make a new secret; the old one signs beside it for 24 hours. A call.',
    args: { input: t.arg({ type: WebhookInput, required: true, description: 'Which webhook.' }) },
    ...performs<{ webhookId: string }, { id: string; secret: string }>(rotateWebhookSecret, byId),
  }),
  replayWebhookEvents: t.field({
    type: ReplayPayload,
    description: 'Deliver the events of the last 24 hours again. A call.',
    args: { input: t.arg({ type: ReplayInput, required: true, description: 'What to deliver again.' }) },
    ...performs<
      { webhookId?: string | null | undefined },
      { replayed: number; webhooks: { id: string; replayed: number }[] }
    >(replayEvents, ({ webhookId }) => given({ webhook_id: webhookId })),
  }),
}));
