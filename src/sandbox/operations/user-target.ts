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
