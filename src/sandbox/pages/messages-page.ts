import { chatIdOf } from '../chat/chats.ts';
import type { Conversation, ConversationEvent, Message } from '../chat/conversation.ts';
import { hasSeedKeys, publicKeysOf } from '../chat/public-keys.ts';
import { openWith, peersOf } from '../chat/seed-chat-clients.ts';
import { sendMessage } from '../chat/send-message.ts';
import type { User } from '../dataset/types.ts';
import { activeUser } from '../dataset/visibility.ts';
import { Problem } from '../http/problem.ts';
import { mayWrite } from '../operations/chat/send.ts';
import { age } from './cards.ts';
import { type SafeHtml, safeHtml } from './html.ts';
import { listOf } from './layout.ts';
import { type PageCall, type PageView, signedIn } from './site.ts';

/** The limit of messages on a page. Decrypting one takes some milliseconds. */
const maxMessages = 30;

export function conversationsPage(call: PageCall): PageView {
  const viewer = signedIn(call);
  const lastAt = ({ messages }: Conversation) => messages.at(-1)?.event.at ?? 0;
  const all = [...call.platform.dataset.chats.conversationsOf(viewer)]
    .filter(({ messages }) => messages.length > 0)
    .sort((a, b) => lastAt(b) - lastAt(a));
  const items = all.map((conversation) => {
    const other = conversation.other(viewer);
    const count = conversation.messages.length;
    return safeHtml`<article class="event"><a class="name" href="/i/messages/${other.screenName}">${other.name}</a> <span class="soft">@${other.screenName}</span>
<p class="soft">${count} ${count === 1 ? 'message' : 'messages'} · ${age(call, new Date(lastAt(conversation)).toISOString())}</p></article>`;
  });
  const body = safeHtml`<h1>Messages</h1><p class="intro soft">Messages are end-to-end encrypted. These pages act as the client of the demo user and open them with the user's keys.</p>${listOf(call, items, null, 'You have no conversations. The profile of a user who accepts messages has a button for one.')}`;
  return { status: 200, title: 'Messages', body };
}

export function conversationPage(call: PageCall, screenName: string): PageView {
  const viewer = signedIn(call);
  const { dataset } = call.platform;
  const other = activeUser(dataset.userNamed(screenName), screenName);
  const conversation = dataset.chats.conversations.get(chatIdOf(viewer, other));
  const lines = conversation === undefined ? [] : messageLines(call, viewer, conversation);
  const form = safeHtml`<form class="composer" method="post" action="/i/do/message"><label for="text">Message to ${other.name}</label><textarea id="text" name="text" rows="2" maxlength="10000" required></textarea><input type="hidden" name="to" value="${other.screenName}"><button class="button">Send</button></form>`;
  const body = safeHtml`<h1><a class="name" href="/${other.screenName}">${other.name}</a> <span class="soft">@${other.screenName}</span></h1>
${lines.length === 0 ? safeHtml`<p class="notice soft">No messages yet.</p>` : safeHtml`<ol class="messages">${lines}</ol>`}${form}`;
  return { status: 200, title: `Messages with ${other.name}`, body };
}

function messageLines(call: PageCall, viewer: User, conversation: Conversation): readonly SafeHtml[] {
  const { clients } = call.platform;
  if (!hasOwnKeys(call, viewer)) {
    return [
      safeHtml`<li class="soft">These messages can be opened only by the program that registered the keys of @${viewer.screenName}.</li>`,
    ];
  }
  const peers = peersOf(conversation.members, (user) => publicKeysOf(call.platform, user));
  const reader = clients.reader(conversation, viewer, peers);
  const content = (event: ConversationEvent) => openWith(reader, conversation, event);
  return conversation.messages
    .filter((message) => !message.deletedFor.has(viewer))
    .slice(-maxMessages)
    .map((message) => {
      const own = message.event.sender === viewer;
      return safeHtml`<li class="${own ? 'own' : 'other'}"><span class="hidden">${own ? 'You' : message.event.sender.name}:</span>
<p class="text">${textOf(message, content)}</p><span class="soft">${age(call, new Date(message.event.at).toISOString())}</span></li>`;
    });
}

/** Returns the text of a message after its edits, followed by its reactions. */
function textOf(
  { event, relatedEvents, deletedForAll }: Message,
  content: (event: ConversationEvent) => { readonly kind: string } | undefined,
): string {
  if (deletedForAll) return 'This message was deleted.';
  const [first, ...changes] = [event, ...relatedEvents].map(content);
  let text = 'This message cannot be opened.';
  const reactions: string[] = [];
  for (const change of [first, ...changes]) {
    if (change === undefined) continue;
    if ('text' in change && typeof change.text === 'string') text = change.text;
    if ('attachments' in change && Array.isArray(change.attachments)) {
      for (const { filename } of change.attachments) text += `\n[${filename}]`;
    }
    if (!('emoji' in change) || typeof change.emoji !== 'string') continue;
    if (change.kind === 'reactionAdded') reactions.push(change.emoji);
    else reactions.splice(reactions.indexOf(change.emoji) >>> 0, 1);
  }
  return [text, ...reactions].join(' ');
}

/** Sends a message as the client of the viewer. The recipient may reply. */
export function sendFromPage(call: PageCall, screenName: string, text: string): void {
  const viewer = signedIn(call);
  const { platform } = call;
  const other = activeUser(platform.dataset.userNamed(screenName), screenName);
  const { conversations } = platform.dataset.chats;
  const id = chatIdOf(viewer, other);
  mayWrite(viewer, other, conversations.get(id));
  if (!hasOwnKeys(call, viewer)) {
    throw new Problem(
      409,
      'no_chat_keys',
      `Only the program that registered the keys of @${viewer.screenName} can send`,
    );
  }
  const content = { kind: 'message', text, attachments: [] } as const;
  const seqId = sendMessage(platform, { from: viewer, to: other, content });
  const conversation = conversations.get(id);
  if (seqId === undefined || conversation === undefined) {
    throw new Problem(409, 'no_chat_keys', `@${other.screenName} has not set up encrypted messages`);
  }
  platform.peers.onMessage(platform, conversation, viewer, seqId);
}

/** Returns true if the sandbox has the user's private keys. It has the keys of the seed, but not keys that a program has registered. */
function hasOwnKeys({ platform }: PageCall, user: User): boolean {
  return hasSeedKeys(user) && !platform.dataset.chats.registered.has(user);
}
