import { activeUser } from '../dataset/visibility.ts';
import { requiredInteger, requiredString } from '../fields.ts';
import type { ControlOperation } from '../http/operation.ts';
import { json } from '../http/response.ts';

const MAX_FOLLOWERS = 20_000;

export const addFollowers: ControlOperation = {
  id: 'addFollowers',
  method: 'POST',
  path: '/control/followers',
  access: 'control',
  handle({ platform, body }) {
    const userName = requiredString(body, 'userName');
    const user = activeUser(platform.dataset.userNamed(userName), userName);
    const count = requiredInteger(body, 'count', 1, MAX_FOLLOWERS);
    platform.commit({ kind: 'followers', user: user.id, count, at: platform.now() });
    return json({ followers: user.followers.size }, 201);
  },
};
