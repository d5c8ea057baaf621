import type { RichText } from './rich-text.ts';

/** Returns the URLs of the pictures in a text, each once, in order of appearance. */
export function picturesIn({ entities }: RichText): string[] {
  const urls = entities.flatMap((entity) => (entity.type === 'MEDIA' ? [entity.url] : []));
  return [...new Set(urls)];
}

/** Returns a copy of the text with the platform's media ids. `ids` maps the URL of each picture to its id. */
export function withMediaIds(text: RichText, ids: ReadonlyMap<string, string>): RichText {
  const entities = text.entities.map((entity) =>
    entity.type === 'MEDIA' ? { ...entity, mediaId: ids.get(entity.url) ?? null } : entity,
  );
  return { ...text, entities };
}
