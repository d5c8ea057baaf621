import type { Action } from '../../src/actions/action.ts';

/** True in `npm run test:all`, false in `npm test`. */
export const isAll = process.env['TEST_ALL'] === '1';

/** Returns how often a test repeats itself: `few` times in `npm test`, `many` times in `npm run test:all`. */
export const repetitions = (few: number, many: number): number => (isAll ? many : few);

/** Returns all actions in `npm run test:all`, and one of each kind in `npm test` or if `all` is false. */
export function oneOfEachKind(actions: readonly Action[], all: boolean = isAll): Action[] {
  const kinds = new Map(
    actions.map((action) => {
      const { method, effect, actor, code, paged, takesBase64 } = action;
      return [all ? action.name : JSON.stringify([method, effect, actor, code, paged, takesBase64]), action];
    }),
  );
  return [...kinds.values()];
}
