import type { User } from '../dataset/types.ts';
import type { SandboxState } from '../platform.ts';
import type { Schedule } from '../simulator/activity-simulator.ts';
import { peersOf } from './client.ts';
import type { Conversation } from './conversation.ts';
import { hasSeedKeys, publicKeysOf } from './public-keys.ts';
import { speak } from './speak.ts';

const SOONEST_MS = 800;
const LATEST_MS = 2_500;
/** Those who are about to answer. */
const MOST_WAITING = 100;

/** People who answer what they are written, each by a client of their own. Without a schedule nobody does. */
export class AnsweringPeers {
  readonly #schedule: Schedule | null;
  readonly #waiting = new Set<() => void>();
  #stopped = false;

  constructor(schedule: Schedule | null) {
    this.#schedule = schedule;
  }

  /** Somebody wrote. Accounts that callers act as are never answered for. */
  heard(platform: SandboxState, conversation: Conversation, sender: User, seqId: string): void {
    const peer = conversation.other(sender);
    const isPerson = peer.token === null && peer.state === 'active' && hasSeedKeys(peer);
    if (this.#schedule === null || this.#stopped || !isPerson || this.#waiting.size >= MOST_WAITING) return;
    if (conversation.message(seqId) === undefined) return;
    const delay = platform.extras.random.int(SOONEST_MS, LATEST_MS);
    const cancel = this.#schedule(delay, () => {
      this.#waiting.delete(cancel);
      // After a reset these are people of a dataset that is gone.
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
  const message = conversation.message(seqId);
  if (message === undefined || message.deletedForAll) return;
  const peers = peersOf(conversation.members, (user) => publicKeysOf(platform, user));
  const opened = platform.clients.open(conversation, peer, peers, message.event);
  // What it cannot read it does not answer.
  if (opened === undefined) return;
  const { extras } = platform;
  if (extras.random.chance(0.3)) {
    const said = { kind: 'reactionAdded', targetSequenceId: seqId, emoji: '👍' } as const;
    speak(platform, { from: peer, to, said });
  }
  speak(platform, { from: peer, to, said: { kind: 'message', text: extras.answer(peer), attachments: [] } });
}
