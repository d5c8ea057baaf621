import type { User } from '../dataset/types.ts';
import type { SandboxState } from '../platform.ts';
import type { Schedule } from '../simulator/activity-simulator.ts';
import type { Conversation } from './conversation.ts';
import { hasSeedKeys, publicKeysOf } from './public-keys.ts';
import { peersOf } from './seed-chat-clients.ts';
import { sendMessage } from './send-message.ts';

const MIN_DELAY_MS = 800;
const MAX_DELAY_MS = 2_500;
/** The limit of answers that are scheduled at one time. */
const MAX_PENDING = 100;

/** Answers direct messages on behalf of users of the dataset. Without a schedule it does nothing. */
export class AutoResponder {
  readonly #schedule: Schedule | null;
  readonly #waiting = new Set<() => void>();
  #stopped = false;

  constructor(schedule: Schedule | null) {
    this.#schedule = schedule;
  }

  /**
   * Schedules an answer to a new message. Accounts with a token get no automatic answers, because callers act as them.
   */
  onMessage(platform: SandboxState, conversation: Conversation, sender: User, seqId: string): void {
    const peer = conversation.other(sender);
    const isPerson = peer.token === null && peer.state === 'active' && hasSeedKeys(peer);
    if (this.#schedule === null || this.#stopped || !isPerson || this.#waiting.size >= MAX_PENDING) return;
    const delay = platform.extras.random.int(MIN_DELAY_MS, MAX_DELAY_MS);
    const cancel = this.#schedule(delay, () => {
      this.#waiting.delete(cancel);
      // A reset may have replaced the dataset since the answer was scheduled.
      const isThere = platform.dataset.chats.conversations.get(conversation.id) === conversation;
      if (isThere && !platform.journal.failing) answer(platform, conversation, peer, sender, seqId);
    });
    this.#waiting.add(cancel);
  }

  stop(): void {
    this.#stopped = true;
    for (const cancel of this.#waiting) cancel();
  }
}

function answer(platform: SandboxState, conversation: Conversation, peer: User, to: User, seqId: string): void {
  const event = conversation.findEvent(seqId);
  if (event === undefined || conversation.isDeletedFor(peer, event)) return;
  const peers = peersOf(conversation.members, (user) => publicKeysOf(platform, user));
  // The peer answers messages that the peer can decrypt.
  if (platform.clients.open(conversation, peer, peers, event)?.kind !== 'message') return;
  const { extras } = platform;
  if (extras.random.chance(0.3)) {
    const content = { kind: 'reactionAdded', targetSequenceId: seqId, emoji: '👍' } as const;
    sendMessage(platform, { from: peer, to, content });
  }
  sendMessage(platform, { from: peer, to, content: { kind: 'message', text: extras.answer(peer), attachments: [] } });
}
