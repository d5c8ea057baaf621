import { activeUser } from '../dataset/visibility.ts';
import { requiredInteger, requiredString } from '../fields.ts';
import { closedObject, jsonBody, jsonResponse, ref } from '../http/contract.ts';
import type { ControlOperation } from '../http/operation.ts';
import { json } from '../http/response.ts';

const MAX_FOLLOWERS = 20_000;

export const addFollowers: ControlOperation = {
  id: 'addFollowers',
  method: 'POST',
  path: '/control/followers',
  access: 'control',
  contract: {
    summary: 'Creates accounts without credentials that follow a user, for tests of long lists.',
    description:
      'The follows make no events, and a protected user gets the followers at once. The accounts survive a restart. Problems: `not_found` 404.',
    body: jsonBody(
      {
        type: 'object',
        required: ['userName', 'count'],
        properties: {
          userName: { type: 'string', description: 'The screen name of the user to follow.' },
          count: { type: 'integer', minimum: 1, maximum: MAX_FOLLOWERS },
        },
      },
      { userName: 'ada', count: 500 },
    ),
    responses: {
      201: jsonResponse(
        'The number of all followers that the user has now.',
        closedObject({ followers: ref('Count') }),
      ),
    },
  },
  handle({ platform, body }) {
    const userName = requiredString(body, 'userName');
    const user = activeUser(platform.dataset.userNamed(userName), userName);
    const count = requiredInteger(body, 'count', 1, MAX_FOLLOWERS);
    platform.commit({ kind: 'followers', user: user.id, count, at: platform.now() });
    return json({ followers: user.followers.size }, 201);
  },
};
