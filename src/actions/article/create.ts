import { z } from 'zod';
import { checkPremium } from '../../articles/change.ts';
import { create } from '../../articles/create.ts';
import { prepareEdits } from '../../articles/edits.ts';
import { articleFields, contentCheck, covers, exampleMarkdown } from '../../articles/input.ts';
import { transitions } from '../../articles/states.ts';
import { articleSummary } from '../../shared/model/article.ts';
import { platformAction } from '../action.ts';
import { atMostOneOf } from '../input/input.ts';

const { create: draft, createPublished } = transitions.none;

const input = z
  .object({
    ...articleFields,
    publish: z.boolean().default(false).meta({ description: 'Publish the article at once. Premium accounts only.' }),
  })
  .check(atMostOneOf(...covers));

export const createArticle = platformAction({
  name: 'article/create',
  method: 'POST',
  summary: 'Write an article, as a draft or published',
  description:
    'Creates the draft and publishes it, in one call. If publishing fails, the draft is deleted; if that fails too, or the platform cannot ' +
    'delete drafts, the error names the article that is left. Pictures are fetched, through `proxy` if given, and checked before the draft is created.',
  takesBase64: true,
  input,
  expensive: contentCheck<z.output<typeof input>>(),
  example: {
    title: 'On looms',
    content: exampleMarkdown,
    publish: true,
  },
  output: articleSummary.pick({
    article_id: true,
    status: true,
    tweet_id: true,
    draft_url: true,
    public_url: true,
    cover_media_id: true,
  }),
  async run({ platform, media, tasks }, { publish, ...fields }) {
    const transition = publish ? createPublished : draft;
    if (transition.premium) await checkPremium(platform);
    const { content, cover = null } = await prepareEdits({ platform, media, tasks }, fields);
    if (content === undefined) throw new Error('an article without content');
    const made = await create(platform.articles, transition, { title: fields.title, content, cover });
    return {
      article_id: made.article_id,
      status: made.status,
      tweet_id: made.tweet_id,
      draft_url: made.draft_url,
      public_url: made.public_url,
      cover_media_id: cover,
    };
  },
});
