import { useState } from 'preact/hooks';
import type { ConversationView, DirectMessage, Participant } from '../../../shared/model/direct-message.ts';
import type { Params } from '../../router.tsx';
import { actor } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { count, Time } from '../../ui/format.tsx';
import { Badge } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { toast } from '../../ui/toasts.tsx';
import { ExplorerFrame } from './explorer-frame.tsx';
import { conversationsQuery, messagesQuery, writeMutation } from './graphql.ts';
import { Link, pathTo } from './links.tsx';
import { change, load, type Page, pagesOf, stateOf } from './paid-calls.ts';
import { PaidList, PaidView, unsupportedReason } from './paid-views.tsx';
import { Person } from './person.tsx';
import type { ExplorerCall } from './requests.ts';
import { WriteDialog } from './write-dialog.tsx';

interface ConversationPageData extends Page {
  readonly userId: string;
  readonly has_message_requests: boolean;
  readonly conversations: readonly ConversationView[];
}

const conversationsCall: ExplorerCall = { name: 'dm/list', input: {}, takesCode: true };

/** The conversations of the chosen actor. */
export function ConversationsPage() {
  const { calls } = pagesOf(conversationsCall);
  const first = stateOf<ConversationPageData>(conversationsCall).value.data;
  return (
    <ExplorerFrame
      title="Messages"
      opens={[conversationsCall]}
      calls={calls}
      graphql={conversationsQuery(calls.length)}
    >
      {first?.has_message_requests && (
        <p class="note">There are messages from users to whom the account has not replied. They are not listed here.</p>
      )}
      <PaidList<ConversationPageData, ConversationView>
        call={conversationsCall}
        what="the conversations"
        empty="No conversations yet"
        items={({ conversations }) => conversations}
        keyOf={({ conversation_id }) => conversation_id}
      >
        {(conversation) => <ConversationRow conversation={conversation} ownId={first?.userId ?? ''} />}
      </PaidList>
    </ExplorerFrame>
  );
}

function ConversationRow({ conversation, ownId }: { conversation: ConversationView; ownId: string }) {
  const { conversation_id, last_message, participants, is_muted } = conversation;
  const other = otherOf(participants, ownId);
  return (
    <article class="tweet">
      {other && <Person user={other}>{last_message && <Time at={last_message.createdAt} />}</Person>}
      <p class="text">
        {last_message?.from_me && <span class="soft">You: </span>}
        {last_message?.text}
      </p>
      <p class="row">
        <Link to={pathTo.conversation(conversation_id)}>
          Open conversation<span class="visually-hidden"> with {other?.name}</span>
        </Link>
        {is_muted && <Badge>Muted</Badge>}
        {other && !other.hasPublicKey && <Badge tone="warn">Has no chat keys</Badge>}
      </p>
    </article>
  );
}

const otherOf = (participants: readonly Participant[], ownId: string) => participants.find(({ id }) => id !== ownId);

interface MessagePage extends Page {
  readonly messages: readonly DirectMessage[];
}

/** One conversation with its messages, the newest last. */
export function ConversationPage({ params: { id = '' } }: { params: Params }) {
  const first: ExplorerCall = { name: 'dm/messages', input: { conversation_id: id }, takesCode: true };
  const { calls, next } = pagesOf(first);
  const isEmpty = stateOf<MessagePage>(first).value.data?.messages.length === 0;
  return (
    <ExplorerFrame title={titleOf(id)} opens={[first]} calls={calls} graphql={messagesQuery(id, calls.length)}>
      <p>
        <Link to={pathTo.section('messages')}>All conversations</Link>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: only a focusable region can be scrolled with the keyboard. */}
      <section class="history" aria-label="Messages" tabIndex={0}>
        <div>
          {next && (
            <p class="more">
              <Button pays={next.name} onClick={() => load(next)}>
                Older messages
              </Button>
            </p>
          )}
          {isEmpty && <Empty title="No messages yet" />}
          {calls.toReversed().map((each) => (
            <PaidView<MessagePage> key={JSON.stringify(each.input)} call={each} what="the messages">
              {({ messages }) => (
                <ol class="messages">
                  {messages.toReversed().map((message) => (
                    <Message key={message.seq_id} message={message} />
                  ))}
                </ol>
              )}
            </PaidView>
          ))}
        </div>
      </section>
      <Composer conversation={first} id={id} />
    </ExplorerFrame>
  );
}

/** Returns a title with the name of the other user, which is known only if the list of conversations was loaded. */
function titleOf(id: string): string {
  for (const page of pagesOf(conversationsCall).calls) {
    const data = stateOf<ConversationPageData>(page).value.data;
    const found = data?.conversations.find(({ conversation_id }) => conversation_id === id);
    const other = data && found && otherOf(found.participants, data.userId);
    if (other) return `Messages with ${other.name}`;
  }
  return 'Conversation';
}

function Message({ message }: { message: DirectMessage }) {
  const { from_me, createdAt, edited, reactions } = message;
  return (
    <li class={from_me ? 'message own' : 'message'}>
      <span class="visually-hidden">{from_me ? 'You: ' : 'The other user: '}</span>
      <p class="text" dir="auto">
        {textOf(message)}
      </p>
      <p class="soft">
        <Time at={createdAt} />
        {edited && ', edited'}
        {reactions.map(({ emoji, sender_id }) => (
          <span key={sender_id + emoji}> {emoji}</span>
        ))}
      </p>
    </li>
  );
}

function textOf({ text, deleted, undecryptable, attachment }: DirectMessage) {
  if (deleted) return <i>This message was deleted.</i>;
  if (undecryptable !== null) return <i>This message cannot be decrypted ({undecryptable}).</i>;
  if (attachment === null) return text;
  return (
    <>
      {text} <i>{`${attachment.filename}, ${count(attachment.size)} bytes`}</i>
    </>
  );
}

interface Sent {
  readonly message_id: string;
  readonly seq_id: string;
}

/** The form for a message. A dialog shows the price first. A sent message is added to the page without another call. */
function Composer({ conversation, id }: { conversation: ExplorerCall; id: string }) {
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const reason = unsupportedReason('dm/send');
  if (reason !== null) return <Empty title="Messages cannot be sent on this platform">{reason}</Empty>;
  const shown: ExplorerCall = { name: 'dm/send', input: { conversation_id: id, text }, takesCode: true };
  const finish = (sent: Sent) => {
    change<MessagePage>(conversation, (page) => ({ ...page, messages: [asMessage(sent, text), ...page.messages] }));
    setText('');
    setOpen(false);
    toast('Sent');
  };
  const ask = (event: SubmitEvent) => {
    event.preventDefault();
    setOpen(true);
  };
  return (
    <>
      <form class="composer" onSubmit={ask}>
        <Field label="Message">
          <textarea
            rows={3}
            required
            maxLength={10_000}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </Field>
        <Button type="submit" look="primary" disabled={!actor.value?.encryptionCode}>
          Send…
        </Button>
      </form>
      {isOpen && (
        <WriteDialog<Sent>
          title="Send the message"
          submitLabel="Send"
          call={shown}
          graphql={writeMutation('sendMessage', { conversationId: id, text }, 'messageId', 'seqId')}
          onDone={finish}
          onClose={() => setOpen(false)}
        >
          <p>The chosen account encrypts and sends this message:</p>
          <blockquote class="text">{text}</blockquote>
        </WriteDialog>
      )}
    </>
  );
}

function asMessage({ message_id, seq_id }: Sent, text: string): DirectMessage {
  return {
    message_id,
    seq_id,
    sender_id: '',
    from_me: true,
    text,
    createdAt: new Date().toISOString(),
    edited: false,
    deleted: false,
    reactions: [],
    attachment: null,
    undecryptable: null,
  };
}
