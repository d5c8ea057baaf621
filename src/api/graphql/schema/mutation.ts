import type { GraphQLResolveInfo } from 'graphql';
import type { Action } from '../../../actions/action.ts';
import { costs } from '../cost.ts';
import type { Session } from '../session.ts';

/** A field of Mutation that one action performs. `input` is the action's, from what the caller gave. */
export function performs<Given, Output>(action: Action, input: (given: Given) => Record<string, unknown>) {
  return {
    nullable: true as const,
    ...costs({ action, input: (args) => input(args['input'] as Given) }),
    resolve: (_root: unknown, args: { input: Given }, session: Session, info: GraphQLResolveInfo) =>
      session.write<Output>(action, input(args.input), String(info.path.key)),
  };
}
