import { expect, test } from 'vitest';
import type { Tweet } from '../../src/shared/model/tweet.ts';
import { useService } from '../support/use-service.ts';
import { describeInBrowser, openPage } from './browser.ts';

describeInBrowser('in a browser', ['--autoplay-policy=no-user-gesture-required'], async (browser) => {
  const { service, ada } = await useService();

  test('the page of a tweet plays its video, which lasts as long as `duration_ms` says', async () => {
    const { data } = (await ada.get('/tweet/advanced_search', { q: 'filter:videos', count: '20' })).body;
    const tweet = (data['tweets'] as Tweet[]).find(({ media: [video] }) => video?.duration_ms && video.width);
    const { page } = await openPage(browser, new URL(service.demo.sandboxUrl).origin, { width: 1280, height: 900 });
    await page.goto(tweet?.url ?? '');
    // Plays the beginning of the video and then its end.
    const played = await page.evaluate(`(async () => {
      const video = document.querySelector('video');
      const happens = (name) => new Promise((resolve, reject) => {
        video.addEventListener(name, resolve, { once: true });
        video.addEventListener('error', () => reject(new Error(video.error.message)), { once: true });
      });
      const moves = happens('timeupdate');
      await video.play();
      await moves;
      const { duration, videoWidth, videoHeight } = video;
      const ends = happens('ended');
      video.currentTime = duration - 0.3;
      // On a slow machine the video may have ended, and playing starts again only on demand.
      await video.play();
      await ends;
      return { url: video.src, durationMs: Math.round(duration * 1000), videoWidth, videoHeight };
    })()`);
    const [video] = tweet?.media ?? [];
    expect(played).toEqual({
      url: video?.video_url,
      durationMs: video?.duration_ms,
      videoWidth: video?.width,
      videoHeight: video?.height,
    });
  });
});
