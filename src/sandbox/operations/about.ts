import { aboutForm } from '../dataset/about.ts';
import { json } from '../http/answer.ts';
import { ofUser } from './user-target.ts';

/** Everybody may see it, as they may see the profile. */
export const about = ofUser(
  'about',
  'GET',
  'about',
  { summary: "An account's history; of protected users too. Problems as in userById.", responses: { 200: 'About' } },
  ({ platform }, target) => json({ about: aboutForm(target, platform.dataset.origin) }),
);
