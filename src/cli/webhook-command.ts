import { Command } from 'commander';
import { accessHelp } from './access.ts';
import { type CallOptions, withCallOptions, withPages } from './call-command.ts';

/** A command that performs an action. */
interface WebhookCommand {
  action: `webhooks/${string}` | 'account/webhooks';
  about: string;
  /** The fields that are arguments of the command. */
  args: readonly string[];
  /** Fields with fixed values. */
  fixed?: readonly string[];
  /** True if the action returns pages. */
  isPaged?: true;
  /** True if the action has further fields. */
  hasFields?: true;
}

/** The commands below `postern webhook`. */
export const webhookCommands: Readonly<Record<string, WebhookCommand>> = {
  list: { action: 'account/webhooks', about: 'List the webhooks of the account', args: [], isPaged: true },
  show: { action: 'webhooks/detail', about: 'Show a webhook and its state', args: ['id'] },
  create: {
    action: 'webhooks/create',
    about: 'Deliver the activity of the actor to a URL',
    args: ['url'],
    hasFields: true,
  },
  update: { action: 'webhooks/update', about: 'Change the URL or the event types', args: ['id'], hasFields: true },
  validate: { action: 'webhooks/validate', about: 'Run the handshake with the receiver again', args: ['id'] },
  test: { action: 'webhooks/test', about: 'Send a signed test event now', args: ['id'] },
  pause: {
    action: 'webhooks/update',
    about: 'Keep events until the webhook is resumed',
    args: ['id'],
    fixed: ['paused=true'],
  },
  resume: { action: 'webhooks/update', about: 'Deliver events again', args: ['id'], fixed: ['paused=false'] },
  rotate: { action: 'webhooks/rotate-secret', about: 'Replace the secret', args: ['id'] },
  deliveries: {
    action: 'webhooks/deliveries',
    about: 'List the deliveries of the last 24 hours',
    args: ['id'],
    isPaged: true,
  },
  delivery: { action: 'webhooks/delivery', about: 'Show a delivery with its attempts', args: ['id', 'event_id'] },
  resend: { action: 'webhooks/resend', about: 'Deliver an event again', args: ['id', 'event_id'] },
  replay: {
    action: 'webhooks/replay',
    about: 'Deliver the events of the last 24 hours again',
    args: ['webhook_id'],
    hasFields: true,
  },
  delete: { action: 'webhooks/delete', about: 'Delete a webhook', args: ['id'] },
};

export function webhookCommand(): Command {
  const webhook = new Command('webhook')
    .description('Create, test, pause and inspect webhooks')
    .addHelpText('after', accessHelp);
  for (const [name, each] of Object.entries(webhookCommands)) {
    const command = withCallOptions(webhook.command(name).description(each.about));
    if (each.isPaged) withPages(command);
    for (const arg of each.args) command.argument(`<${arg}>`);
    if (each.hasFields)
      command.argument('[fields...]', `name=value; \`postern call ${each.action} --help\` lists the fields`);
    command.action(async () => {
      const { call } = await import('./call/call.ts');
      const fields = each.args.map((arg, at) => `${arg}=${command.args[at]}`);
      const further = command.args.slice(each.args.length);
      await call(each.action, [...fields, ...(each.fixed ?? []), ...further], command.opts<CallOptions>());
    });
  }
  return webhook;
}
