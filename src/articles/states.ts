import type { ArticleStatus } from '../shared/model/article.ts';

export type ArticleState = 'none' | ArticleStatus | 'deleted';
export type Trigger = 'create' | 'createPublished' | 'update' | 'publish' | 'unpublish' | 'delete';

/** The steps of a transition, which run one after the other. */
export type Step = 'create' | 'edit' | 'publish' | 'unpublish' | 'delete';

export interface Transition {
  readonly steps: readonly Step[];
  readonly next: ArticleState;
  /**
   * True if the actor needs a premium subscription. Without one, the call is refused with 403 before the first step.
   */
  readonly premium: boolean;
}

type Table = Readonly<Record<ArticleState, Readonly<Partial<Record<Trigger, Transition>>>>>;

/**
 * The states of an article and the transitions between them (docs/rest.md, Articles). A trigger that is not defined for
 * a state is refused with 404, because the article does not exist in that case.
 */
export const transitions = {
  none: {
    create: { steps: ['create'], next: 'draft', premium: false },
    createPublished: { steps: ['create', 'publish'], next: 'published', premium: true },
  },
  draft: {
    update: { steps: ['edit'], next: 'draft', premium: false },
    publish: { steps: ['publish'], next: 'published', premium: true },
    unpublish: { steps: [], next: 'draft', premium: false },
    delete: { steps: ['delete'], next: 'deleted', premium: false },
  },
  published: {
    update: { steps: ['unpublish', 'edit', 'publish'], next: 'published', premium: true },
    publish: { steps: [], next: 'published', premium: false },
    unpublish: { steps: ['unpublish'], next: 'draft', premium: false },
    delete: { steps: ['delete'], next: 'deleted', premium: false },
  },
  deleted: {},
} as const satisfies Table;

/** Returns the transition for a state, or `undefined` if the trigger is not defined for it. */
export function transitionOf(state: ArticleState, trigger: Trigger): Transition | undefined {
  const table: Table = transitions;
  return table[state][trigger];
}
