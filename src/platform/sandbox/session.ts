import type { Tweet } from '../../shared/model/tweet.ts';
import type { UserCard } from '../../shared/model/user.ts';
import type { UserAbout } from '../../shared/model/user-about.ts';
import type { PlatformArticles } from '../articles-port.ts';
import { object } from '../http/wire.ts';
import type { ActivityPage, ActivityRequest, PageOf, PageRequest, UserReference, ViewerPage } from '../port.ts';
import type { XBody } from '../x/client.ts';
import { cardFields } from '../x/fields.ts';
import { aUser } from '../x/identifiers.ts';
import { named, others, posts, users } from '../x/operations.ts';
import { readAbout } from '../x/read-user.ts';
import { XSession } from '../x/writes.ts';
import { SandboxArticles } from './articles.ts';
import { eventLimits, readActivity } from './read-activity.ts';

/** The sandbox's extensions of X's API: what X does not offer. */
const extensions = named({
  getSandboxHome: posts('/sandbox/home', null, { sizes: [1, 100] }),
  getFollowersYouKnow: users('/sandbox/users/{}/followers_you_know', null, { sizes: [1, 1_000] }),
  getUserAbout: users('/sandbox/users/{}/about', null),
  activity: others('/sandbox/activity', null, { sizes: [1, 100] }),
  activityWait: others('/sandbox/activity', null, { query: ['wait_ms'], sizes: [1, 100] }),
});

/** A session on the sandbox on behalf of one actor: that of X, with extensions. */
export class SandboxSession extends XSession {
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
      this.get({ ...request, ids: [id] }, ({ data }) => {
        const about = object(data, 'data');
        return readAbout(about, about);
      }),
    );
  }

  override activity({ waitMs = 0, count, cursor }: ActivityRequest): Promise<ActivityPage> {
    const { activity, activityWait } = extensions;
    const request = { page: { size: count, token: cursor }, limits: eventLimits(count) };
    const read = (body: XBody) => readActivity(body, count);
    if (waitMs === 0) return this.get({ operation: activity, ...request }, read);
    return this.get({ operation: activityWait, query: { wait_ms: String(waitMs) }, waitMs, ...request }, read);
  }
}
