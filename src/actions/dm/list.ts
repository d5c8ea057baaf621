import { z } from 'zod';
import { conversation } from '../../shared/model/direct-message.ts';
import { pageInput } from '../../shared/model/page.ts';
import { count, numericId } from '../../shared/model/scalars.ts';
import { platformAction } from '../action.ts';

/** The second part of each cursor. */
const snapshot = '0';

const part = (name: string, example: string) =>
  z
    .string()
    .min(1, 'must be of the next_cursor of the previous page')
    .max(2048, 'must be of the next_cursor of the previous page')
    .optional()
    .meta({
      description: `\`next_cursor.${name}\` of the previous page. Send both parts or neither.`,
      examples: [example],
    });

export const dmList = platformAction({
  name: 'dm/list',
  method: 'GET',
  summary: "The actor's conversations, newest first",
  description:
    'With `encryption_code` each has its decrypted `last_message`. The first page fixes the order: later messages do not move ' +
    'conversations on the next pages. Message requests are left out; `has_message_requests` is true if there are any.',
  paged: 'two-part',
  code: 'optional',
  input: z.object({
    count: pageInput.count,
    cursor_id: part('cursor_id', 'foVDA1_08gR68NzxLdXHPnIyS0dweTUyWWRScmxpTG9NakV5TXprMk56ZzFNemN3'),
    graph_snapshot_id: part('graph_snapshot_id', 'exqEHgxGWt7RgmUQ2hXhbVlYZ3JMMnU3aXlEZ0lLT1RNakV5TkRBME5URTJPVFF6'),
  }),
  example: { count: 1 },
  output: z.object({
    userId: numericId,
    has_message_requests: z.boolean(),
    conversation_count: count,
    has_more: z.boolean(),
    next_cursor: z.object({ cursor_id: z.string(), graph_snapshot_id: z.string() }).nullable(),
    conversations: z.array(conversation),
  }),
  async run({ messages }, { count, cursor_id: cursorId, graph_snapshot_id: graphSnapshotId }) {
    const page = await messages.conversations(count, graphSnapshotId === undefined ? null : (cursorId ?? null));
    return {
      userId: page.viewerId,
      has_message_requests: page.hasMessageRequests,
      conversation_count: page.conversations.length,
      has_more: page.cursor !== null,
      // Platforms have one token for both parts.
      next_cursor: page.cursor === null ? null : { cursor_id: page.cursor, graph_snapshot_id: snapshot },
      conversations: page.conversations,
    };
  },
});
