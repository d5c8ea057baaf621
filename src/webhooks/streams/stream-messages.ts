import { PosternError } from '../../shared/errors/postern-error.ts';
import { isMessageType, type StreamItem, type WebhookEventType } from '../../shared/model/event.ts';
import { type Runtime, sleep } from '../../shared/runtime/runtime.ts';
import type { StoredEventRecord } from '../../store/port.ts';
import {
  isCodeRefusal,
  isFinal,
  type MessageOpener,
  type OpenedMessage,
  type Opening,
} from '../shared/message-opener.ts';
import type { WebhookVault } from '../shared/secrets.ts';
import { messageBody, unpackEvent } from '../shared/stored-event.ts';

const retryMs = 2_000;
/** After this many attempts to open a message, the stream reports a gap and continues. */
const mostTries = 4;

interface Parts {
  vault: WebhookVault;
  runtime: Runtime;
  opener: MessageOpener;
  opening: Opening | null;
  ended: AbortSignal;
}

/** Opens the messages of one stream with the stream's code. */
export class StreamMessages {
  readonly #parts: Parts;
  #refused = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Returns the stream item for an event. Returns `null` if the stream does not include the event. If the code is refused, the stream
   * reports one gap and contains no more messages.
   */
  async itemOf(
    { id, sealed }: StoredEventRecord,
    types: readonly WebhookEventType[] | null,
  ): Promise<StreamItem | null> {
    const { vault, opening } = this.#parts;
    if (opening === null || this.#refused || (types && !types.some(isMessageType))) return null;
    const { message } = unpackEvent(vault.openBody(opening.account, id, sealed));
    if (message === null) return null;
    try {
      const said = await this.#open(opening, message);
      if (!said || types?.includes(said.type) === false) return null;
      return { kind: 'event', id, type: said.type, body: messageBody(id, message, said) };
    } catch (error) {
      if (!(error instanceof PosternError)) throw error;
      this.#refused = isCodeRefusal(error);
      const what = this.#refused ? 'Messages are not opened any more' : 'A message could not be opened';
      return { kind: 'gap', id, reason: `${what}: ${error.message}` };
    }
  }

  /** Opens a message. Retries temporary errors for as long as the other events of the stream can wait. */
  async #open(opening: Opening, message: NonNullable<ReturnType<typeof unpackEvent>['message']>) {
    const { opener, runtime, ended } = this.#parts;
    for (let tries = 1; ; tries++) {
      try {
        const [said = null] = await opener.open(opening, [message]);
        return said satisfies OpenedMessage | null;
      } catch (error) {
        if (isFinal(error) || tries === mostTries || ended.aborted) throw error;
        await sleep(runtime, retryMs);
      }
    }
  }
}
