// Calls a service with the built client and web APIs only. The tests run it in contexts without Node's modules. Returns what the calls returned.

/** `options` are those of the client. Other users must mention the actor meanwhile. */
export async function run({ NotFoundError, Postern }, { options, png, text }) {
  const postern = new Postern(options);
  const { data, creditsCharged } = await postern.user.me().withResponse();
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  const media = await postern.media.upload({ media_data: new Blob([bytes], { type: 'image/png' }) });
  const tweet = await postern.tweet.create({ text, media_ids: [media.media_id] });
  let followers = 0;
  for await (const { type } of postern.user.followers({ userName: 'grace', count: 2 })) {
    if (type === 'user') followers++;
    if (followers === 5) break;
  }
  const error = await postern.tweet.detail({ tweet_id: '1' }).catch((thrown) => thrown);
  const events = [];
  for await (const { type } of postern.events({ types: ['tweet.mention'] })) {
    if (events.push(type) === 2) break;
  }
  const isTyped = error instanceof NotFoundError;
  return { userName: data.userName, creditsCharged, size: media.size, text: tweet.text, followers, isTyped, events };
}
