import type { RichText } from './rich-text.ts';

/** Returns the addresses of the pictures in a text, each once, in their order. */
export function picturesIn({ entities }: RichText): string[] {
  const urls = entities.flatMap((entity) => (entity.type === 'MEDIA' ? [entity.url] : []));
  return [...new Set(urls)];
}

/** Returns the same text with the platform's ids of its media. `ids` has them by address. */
export function withMediaIds(text: RichText, ids: ReadonlyMap<string, string>): RichText {
  const entities = text.entities.map((entity) =>
    entity.type === 'MEDIA' ? { ...entity, mediaId: ids.get(entity.url) ?? null } : entity,
  );
  return { ...text, entities };
}
