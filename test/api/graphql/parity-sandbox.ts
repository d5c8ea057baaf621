import { dmEdit } from '../../../src/actions/dm/edit.ts';
import { dmList } from '../../../src/actions/dm/list.ts';
import { xCapabilities } from '../../../src/platform/x/capabilities.ts';
import { startCheckedX } from '../../support/checked-x.ts';
import { Client } from '../../support/client.ts';
import { startReceiver } from '../../support/receiver.ts';
import { SandboxControl } from '../../support/sandbox-control.ts';
import { startService, type TestService } from '../../support/service.ts';
import { type ApiClients, ParityFixture, writeArticle } from './parity-fixture.ts';
import { conversationBetween } from './parity-messages.ts';
import type { ParityPlatform } from './parity-platform.ts';

export interface SandboxParity extends ParityPlatform {
  readonly service: TestService;
  readonly sandbox: SandboxControl;
}

export async function startSandboxParity(env: Record<string, string> = {}): Promise<ParityFixture<SandboxParity>> {
  const service = await startService(env);
  const { baseUrl, graphqlUrl, apiKey, sandboxUrl, accounts, listId } = service.demo;
  const [reader, grace] = accounts;
  if (!reader || !grace) throw new Error('the dataset has no accounts');
  const ada = new Client({ baseUrl, key: apiKey, authToken: reader.authToken });
  const made = await ada.post('/tweet/create', { text: 'A tweet that is answered' });
  const discussedTweet = String(made.body.data['id']);
  const sandbox = new SandboxControl(sandboxUrl);
  for (const type of ['reply', 'quote', 'retweet', 'like']) {
    await sandbox.makeEvents({ type, userName: reader.userName, tweetId: discussedTweet, count: 2 });
  }
  await ada.post('/tweet/bookmark', { tweet_id: discussedTweet });
  await ada.post('/tweet/favorite', { tweet_id: discussedTweet });
  for (const published of [true, false]) await writeArticle(ada, published);
  const platform: SandboxParity = {
    service,
    sandbox,
    baseUrl,
    graphqlUrl,
    payerKey: apiKey,
    reader,
    shared: {
      knownUser: grace.userName,
      articleAuthor: 'ada',
      likingUser: 'ada',
      organization: 'tidewater_labs',
      discussedTweet,
      list: listId,
      tweetSearch: `from:${grace.userName}`,
      userSearch: 'coffee',
      readersConversation: conversationBetween(reader, grace),
    },
    settlingMs: 0,
    supports: () => true,
    makeAccount: service.makeAccount,
    newActors: async ({ chatKeys }) => ({
      // The actor is premium, because some of the compared actions require it.
      actor: await sandbox.mint({ premium: true, ...(!chatKeys && { chatKeys }) }),
      user: await sandbox.mint(),
    }),
    follow: (userName) => sandbox.makeEvents({ type: 'follow', userName }),
    uploads: () => sandbox.requests('mediaUpload'),
    stop: service.stop,
  };
  return new ParityFixture(platform, await startReceiver());
}

/**
 * The sandbox as X: without its extensions, through the adapter for X. Its own gateway made the data. All requests and
 * answers are checked against X's document.
 */
export async function startXParity(): Promise<ParityFixture> {
  const { platform, receiver } = await startSandboxParity();
  const { demo } = platform.service;
  const checked = await startCheckedX(demo.sandboxUrl);
  const env = {
    PLATFORM_KIND: 'x',
    PLATFORM_URL: checked.url,
    X_CLIENT_ID: 'postern-demo',
    ALLOW_LOCALHOST_WEBHOOKS: '1',
  };
  const { origin, makeAccount, stop } = await startService(env, { demo });
  const { key: payerKey } = await makeAccount('10');
  const onX: ParityPlatform = {
    ...platform,
    baseUrl: `${origin}/v1`,
    graphqlUrl: `${origin}/graphql`,
    payerKey,
    makeAccount,
    supports: (action) => !(action in xCapabilities.unsupported),
    follow: null,
    async stop() {
      await stop();
      await platform.stop();
      await checked.stop();
    },
  };
  return new ParityFixture(onX, receiver);
}

/** Recovers the chat keys of both actors and sends a message. */
export async function knowChatKeys(fixture: ParityFixture<SandboxParity>, { target, rest }: ApiClients): Promise<void> {
  await target.chat.prepare('dm/edit');
  for (const action of [dmList, dmEdit]) {
    const answer = await rest(action, fixture.inputFor(action, target));
    if (answer.status !== 200) throw new Error(`${action.name}: ${answer.body.error}`);
  }
}
