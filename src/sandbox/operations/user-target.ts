import type { User } from '../dataset/types.ts';
import { activeUser } from '../dataset/visibility.ts';
import type { OperationContract } from '../http/contract.ts';
import type { ActorCall, ActorOperation } from '../http/operation.ts';
import type { SandboxResponse } from '../http/response.ts';

/** Declares an operation on a user twice: by id, and by screen name with `ByScreenName` at the end of its operationId. */
export function ofUser(
  id: string,
  method: ActorOperation['method'],
  part: string,
  contract: OperationContract,
  handle: (call: ActorCall, target: User) => SandboxResponse,
): readonly [ActorOperation, ActorOperation] {
  return [
    {
      id,
      method,
      path: `/api/users/{id}/${part}`,
      access: 'actor',
      contract,
      handle(call) {
        const asked = call.params['id'] ?? '';
        return handle(call, activeUser(call.platform.dataset.users.get(asked), asked));
      },
    },
    {
      id: `${id}ByScreenName`,
      method,
      path: `/api/users/by/{screen_name}/${part}`,
      access: 'actor',
      contract: { ...contract, summary: `As ${id}, by screen name.` },
      handle(call) {
        const asked = call.params['screen_name'] ?? '';
        return handle(call, activeUser(call.platform.dataset.userNamed(asked), asked));
      },
    },
  ];
}

/** Declares a paged list of a user, by id and by screen name. */
export function listOfUser(
  id: string,
  part: string,
  response: OperationContract['responses'][number],
  summary: string,
  handle: (call: ActorCall, target: User) => SandboxResponse,
): readonly [ActorOperation, ActorOperation] {
  return ofUser(id, 'GET', part, { summary, parameters: ['Count', 'Cursor'], responses: { 200: response } }, handle);
}

/** Returns the JSON of the field that names the user of a page. The items of the page follow it. */
export function targetHead(target: User): string {
  return `"user":{"id":"${target.id}","screen_name":"${target.screenName}"},`;
}

export function viewerHead(viewer: User): string {
  return `"viewer_id":"${viewer.id}",`;
}
