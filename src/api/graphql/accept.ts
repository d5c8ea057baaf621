const types = ['application/graphql-response+json', 'application/json'] as const;

export type ResponseType = (typeof types)[number];

/**
 * The media type of a response, by the request's `Accept` (RFC 9110 section 12.5.1); of two that are equally welcome the
 * newer. Who accepts neither gets JSON: to answer 406 after something was done and charged would hide that.
 */
export function responseType(accept = '*/*'): ResponseType {
  const ranges = accept.toLowerCase().split(',').map(readRange);
  const weigh = (type: ResponseType) => ranges.find(({ name }) => name === type)?.quality ?? 0;
  const [newer, older] = [weigh(types[0]), weigh(types[1])];
  return newer > 0 && newer >= older ? types[0] : types[1];
}

function readRange(range: string): { name: string; quality: number } {
  const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const value = quality === undefined ? 1 : Number(quality.slice(2));
  return { name, quality: value >= 0 && value <= 1 ? value : 0 };
}
