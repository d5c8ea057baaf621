import { userJson } from '../dataset/render.ts';
import type { User } from '../dataset/types.ts';
import { activeUser } from '../dataset/visibility.ts';
import type { ActorCall, ActorOperation } from '../http/operation.ts';
import { jsonText, type SandboxResponse } from '../http/response.ts';

const answerUser = ({ platform, actor }: ActorCall, user: User): SandboxResponse =>
  jsonText(`{"user":${userJson(platform.dataset, user, actor)}}`);

export const meOperation: ActorOperation = {
  id: 'me',
  method: 'GET',
  path: '/api/me',
  access: 'actor',
  contract: { summary: 'The actor.', responses: { 200: 'User' } },
  handle: (call) => answerUser(call, call.actor),
};

export const userById: ActorOperation = {
  id: 'userById',
  method: 'GET',
  path: '/api/users/{id}',
  access: 'actor',
  contract: {
    summary: 'A user. Problems: `not_found` 404, `user_suspended` 403, `user_deleted` 404.',
    responses: { 200: 'User' },
  },
  handle(call) {
    const id = call.params['id'] ?? '';
    return answerUser(call, activeUser(call.platform.dataset.users.get(id), id));
  },
};

export const userByScreenName: ActorOperation = {
  id: 'userByScreenName',
  method: 'GET',
  path: '/api/users/by/{screen_name}',
  access: 'actor',
  contract: {
    summary: 'A user by screen name (case-insensitive). Problems as in userById.',
    responses: { 200: 'User' },
  },
  handle(call) {
    const name = call.params['screen_name'] ?? '';
    return answerUser(call, activeUser(call.platform.dataset.userNamed(name), name));
  },
};
