import type { Action } from '../../../actions/action.ts';
import { tweetDetail, tweetLookup } from '../../../actions/tweet/lookup.ts';
import { userInfo, userLookup } from '../../../actions/user/profiles.ts';
import { PosternError } from '../../../shared/errors/postern-error.ts';
import { type MissingReason, maxLookup, missingTexts } from '../../../shared/model/lookup.ts';

type Input = Record<string, unknown>;

/** An action that reads one object, and the action that reads several. */
interface Lookup {
  readonly one: Action;
  /** The field of the input of `one` with the id. */
  readonly field: string;
  readonly many: Action;
  readonly items: 'tweets' | 'users';
  readonly kind: string;
}

const lookups: readonly Lookup[] = [
  { one: tweetDetail, field: 'tweet_id', many: tweetLookup, items: 'tweets', kind: 'Tweet' },
  { one: userInfo, field: 'userId', many: userLookup, items: 'users', kind: 'User' },
];

interface Wanted {
  id: string;
  resolve: (object: unknown) => void;
  reject: (error: unknown) => void;
}

type Found = Partial<Record<Lookup['items'], unknown[]>> & { missing: { id?: string; reason: MissingReason }[] };

/** Returns the look-up that can perform a read, together with others. */
export function lookupOf(action: Action, input: Input): Lookup | undefined {
  return lookups.find(({ one, field }) => one === action && field in input && Object.keys(input).length === 1);
}

/** Collects reads of single objects until all resolvers that can run have run, and performs them in bulk. */
export class ObjectBatches {
  readonly #run: (action: Action, input: Input) => Promise<unknown>;
  #waiting = new Map<Lookup, Wanted[]>();

  constructor(run: (action: Action, input: Input) => Promise<unknown>) {
    this.#run = run;
  }

  read(lookup: Lookup, input: Input): Promise<unknown> {
    return new Promise((resolve, reject) => {
      // Ticks run after all microtasks, so the resolvers of all items of a list come first.
      if (this.#waiting.size === 0) process.nextTick(() => this.#flush());
      const waiting = this.#waiting.get(lookup) ?? [];
      waiting.push({ id: String(input[lookup.field]), resolve, reject });
      this.#waiting.set(lookup, waiting);
    });
  }

  #flush(): void {
    const all = this.#waiting;
    this.#waiting = new Map();
    for (const [lookup, waiting] of all)
      for (let from = 0; from < waiting.length; from += maxLookup)
        void this.#read(lookup, waiting.slice(from, from + maxLookup));
  }

  async #read({ one, field, many, items, kind }: Lookup, wanted: readonly Wanted[]): Promise<void> {
    try {
      const [first] = wanted;
      if (first && wanted.length === 1) return first.resolve(await this.#run(one, { [field]: first.id }));
      const found = (await this.#run(many, { ids: wanted.map(({ id }) => id) })) as Found;
      const reasons = new Map(found.missing.map(({ id, reason }) => [id, reason]));
      // The objects are in the order of the ids. Their own ids may differ: a reposted tweet stands for its repost.
      const objects = found[items]?.values();
      for (const { id, resolve, reject } of wanted) {
        const reason = reasons.get(id);
        if (reason) reject(missingError(`${kind} not found: ${id}`, reason));
        else resolve(objects?.next().value);
      }
    } catch (error) {
      for (const { reject } of wanted) reject(error);
    }
  }
}

function missingError(notFound: string, reason: MissingReason): PosternError {
  return reason === 'not_found' || reason === 'deleted'
    ? new PosternError('resource_not_found', notFound)
    : new PosternError('platform_refused', missingTexts[reason]);
}
