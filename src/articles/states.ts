import type { ArticleStatus } from '../shared/model/article.ts';

export type ArticleState = 'none' | ArticleStatus | 'deleted';
export type Trigger = 'create' | 'createPublished' | 'update' | 'publish' | 'unpublish' | 'delete';

/** What the platform is asked for, one after the other. `edit` is a write for each field that was given. */
export type Step = 'begin' | 'edit' | 'publish' | 'unpublish' | 'delete';

export interface Transition {
  readonly steps: readonly Step[];
  readonly next: ArticleState;
  /** 403 for a caller without a premium subscription, before anything is done. */
  readonly premium: boolean;
}

type Table = Readonly<Record<ArticleState, Readonly<Partial<Record<Trigger, Transition>>>>>;

/**
 * The states of an article and what leads from one to another (docs/rest.md, Articles). A trigger that a state
 * lacks is answered 404: there is no such article.
 */
export const transitions = {
  none: {
    create: { steps: ['begin', 'edit'], next: 'draft', premium: false },
    createPublished: { steps: ['begin', 'edit', 'publish'], next: 'published', premium: true },
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

/** `undefined`: such a trigger does not apply. */
export function transitionOf(state: ArticleState, trigger: Trigger): Transition | undefined {
  const table: Table = transitions;
  return table[state][trigger];
}
