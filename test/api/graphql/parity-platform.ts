import type { DemoAccount } from '../../../src/platform/sandbox/demo-dataset.ts';

/** An account of the platform. */
export type PlatformActor = Pick<DemoAccount, 'userName' | 'userId' | 'authToken' | 'encryptionCode'>;

/** What rows read (`parity-needs.ts`). Each platform's fixture provides it. */
export interface SharedData {
  /** A user with tweets, followers and followed accounts, and with followers whom the reader follows. */
  knownUser: string;
  /** A user with articles. */
  articleAuthor: string;
  /** A user with affiliates. */
  organization: string;
  /** The reader, who likes tweets. */
  likingUser: string;
  /** A tweet with replies, quotes, retweets and likes. */
  discussedTweet: string;
  /** A list with members. */
  list: string;
  tweetSearch: string;
  userSearch: string;
  /** A conversation of the reader. */
  readersConversation: string;
}

/** A gateway and its platform, with the data that the rows of the parity table need. */
export interface ParityPlatform {
  readonly baseUrl: string;
  readonly graphqlUrl: string;
  /** The key of an account that pays for the calls that are not compared. */
  readonly payerKey: string;
  /** The actor of reads. It has data of every kind. */
  readonly reader: PlatformActor;
  readonly shared: SharedData;
  /** The time in which lists and counts show a write. 0 if they do at once. */
  readonly settlingMs: number;
  supports(action: string): boolean;
  makeAccount(dollars: string): Promise<{ key: string }>;
  /** Returns an actor, which is new if it will write, and another user. */
  newActors(wanted: { writes: boolean; chatKeys: boolean }): Promise<{ actor: PlatformActor; user: PlatformActor }>;
  /** Makes another user follow this one. `null` if the platform does not report that as an event. */
  readonly follow: ((userName: string) => Promise<unknown>) | null;
  /** Returns the number of uploads of media. */
  uploads(): Promise<number>;
  stop(): Promise<void>;
}
