import type { Tweet } from '../../shared/model/tweet.ts';
import type { UserCard } from '../../shared/model/user.ts';
import type { UserAbout } from '../../shared/model/user-about.ts';
import type { PlatformArticles } from '../articles-port.ts';
import { object } from '../http/wire.ts';
import type {
  ActivityPage,
  ActivityRequest,
  PageOf,
  PageRequest,
  PlatformCall,
  UserReference,
  ViewerPage,
} from '../port.ts';
import type { PlatformRealms } from '../realms-port.ts';
import { cardFields } from '../x/fields.ts';
import { aUser } from '../x/identifiers.ts';
import { named, posts, users } from '../x/operations.ts';
import { readAbout } from '../x/read-user.ts';
import type { SessionParts } from '../x/session.ts';
import { XSession } from '../x/writes.ts';
import { SandboxArticles } from './articles.ts';
import type { SandboxClient } from './client.ts';
import { SandboxMessages } from './messages.ts';
import { withPage } from './paths.ts';
import { readActivity } from './read-activity.ts';
import { sandboxRealms } from './realms.ts';

/** The sandbox's extensions of X's API: what X does not offer. */
const extensions = named({
  getSandboxHome: posts('/sandbox/home', null, { sizes: [1, 100] }),
  getFollowersYouKnow: users('/sandbox/users/{}/followers_you_know', null, { sizes: [1, 1_000] }),
  getUserAbout: users('/sandbox/users/{}/about', null),
});

/**
 * A session on the sandbox on behalf of one actor. Tweets, users, lists and searches are those of a session on X. The other operations are
 * those of `schema/sandbox.openapi.json`.
 */
export class SandboxSession extends XSession {
  readonly #client: SandboxClient;

  constructor(parts: SessionParts, client: SandboxClient, call: PlatformCall) {
    super(parts, call);
    this.#client = client;
  }

  override get articles(): PlatformArticles {
    return new SandboxArticles(this.parts, this.call);
  }

  override async homeTimeline(page: PageRequest): Promise<ViewerPage<Tweet>> {
    const found = await this.postPage({ operation: extensions.getSandboxHome }, page, { reposts: true });
    return { ...found, viewerId: await this.viewerId() };
  }

  override async knownFollowers(
    user: UserReference,
    page: PageRequest,
  ): Promise<PageOf<UserCard> & ViewerPage<UserCard>> {
    const operation = extensions.getFollowersYouKnow;
    const found = await this.ofUser(user, (of) => this.userPage({ operation, ...of }, page));
    return { ...found, viewerId: await this.viewerId() };
  }

  override userAbout(user: UserReference): Promise<UserAbout> {
    const request = { operation: extensions.getUserAbout, subject: aUser(user), fields: cardFields };
    return this.parts.identifiers.withId(user, this.call, (id) =>
      this.send({ ...request, id }, ({ data }) => {
        const about = object(data, 'data');
        return readAbout(about, about);
      }),
    );
  }

  override activity({ waitMs = 0, ...page }: ActivityRequest): Promise<ActivityPage> {
    const request = {
      ...(waitMs === 0 ? { operation: 'activity' } : { operation: 'activityWait', waitMs }),
      ...withPage('/api/activity', page, waitMs === 0 ? {} : { wait_ms: String(waitMs) }),
      method: 'GET' as const,
    };
    return this.#client.send(request, this.call, (body) => readActivity(body, page.count));
  }

  override get messages(): SandboxMessages {
    return new SandboxMessages(this.#client, this.call);
  }

  override get realms(): PlatformRealms {
    return sandboxRealms(this.#client, this.call);
  }
}
