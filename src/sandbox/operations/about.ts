import { json } from '../http/answer.ts';
import { aboutForm } from '../world/about.ts';
import { ofUser } from './user-target.ts';

/** Everybody may see it, as they may see the profile. */
export const about = ofUser('about', 'GET', 'about', ({ platform }, target) =>
  json({ about: aboutForm(target, platform.world.origin) }),
);
