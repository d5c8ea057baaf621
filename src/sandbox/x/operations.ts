import type { XOperation } from '../http/operation.ts';
import { activity } from './activity.ts';
import { articleOperations } from './articles.ts';
import { chatOperations } from './chat.ts';
import { chatMediaOperations } from './chat-media.ts';
import { mediaOperations } from './media.ts';
import { searchOperations } from './post-search.ts';
import { postOperations } from './posts.ts';
import { publicKeyOperations } from './public-keys.ts';
import { timelineOperations } from './timelines.ts';
import { userOperations } from './users.ts';
import { writeOperations } from './writes.ts';

/** All operations of X's API that the sandbox serves, and its extensions. */
export const xOperations: readonly XOperation[] = [
  activity,
  ...userOperations,
  ...timelineOperations,
  ...searchOperations,
  ...mediaOperations,
  ...articleOperations,
  ...publicKeyOperations,
  ...postOperations,
  ...writeOperations,
  ...chatOperations,
  ...chatMediaOperations,
];
