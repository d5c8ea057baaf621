import type { RichText } from './rich-text.ts';

/** The addresses of what a text shows, each once, in their order. */
export function picturesIn({ entities }: RichText): string[] {
  const urls = entities.flatMap((entity) => (entity.type === 'MEDIA' ? [entity.url] : []));
  return [...new Set(urls)];
}

/** The same text, its media with the platform's ids by their addresses. */
export function withMediaIds(text: RichText, ids: ReadonlyMap<string, string>): RichText {
  const entities = text.entities.map((entity) =>
    entity.type === 'MEDIA' ? { ...entity, mediaId: ids.get(entity.url) ?? null } : entity,
  );
  return { ...text, entities };
}
